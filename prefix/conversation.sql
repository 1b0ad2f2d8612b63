-- All requests of one conversation, in order of start.
SELECT
    toString(id) AS event_id, time AS event_time,
    toString(agent_name) AS agent, toString(agent_version) AS version, toString(conversation_id) AS conversation,
    toInt64(turn) AS turn_number, toString(provider_name) AS provider, toString(request_model) AS model,
    `tools.name` AS tool_names, `tools.digest` AS tool_digests, tools_known,
    system, system_known, messages, messages_known,
    `params.name` AS param_names, `params.digest` AS param_digests,
    `breakpoints.part` AS marker_parts, arrayMap(x -> toInt64(x), `breakpoints.index`) AS marker_indexes,
    arrayMap(x -> toInt64(x), `breakpoints.ttl_seconds`) AS marker_ttls,
    toString(roster_digest) AS roster,
    toNullable(toInt64(uncached_input_tokens)) AS uncached, toNullable(toInt64(cache_read_input_tokens)) AS cache_read,
    toNullable(toInt64(cache_write_5m_input_tokens)) AS write_5m, toNullable(toInt64(cache_write_1h_input_tokens)) AS write_1h,
    toNullable(toInt64(output_tokens)) AS output,
    provider_diagnosis AS diagnosis, toString(status) AS outcome, start_time AS started, end_time AS ended,
    stated_cost_usd AS stated
FROM request_prefixes
WHERE conversation_id = ?
ORDER BY start_time, lane, seq, pos
