-- What models read with tools loaded on demand, and what they would read with all of them loaded, by agent. Four bytes of a definition or a roster
-- are taken for a token; tokens of round trips and of calls by wrong names are what the events say. Where no requests were reported, a text
-- counts once a conversation that loaded tools.
WITH
    4 AS bytes_per_token,
    lists AS
    (
        SELECT
            toString(r.agent_name) AS agent, r.roster_digest AS roster, count() AS times, any(r.text_length) AS said,
            arrayZip(
                arrayMap(x -> toString(x), any(r.`tools.name`)), any(r.`tools.definition_digest`), any(r.`tools.summary_length`),
                any(r.`tools.deferred`)) AS offered
        FROM tool_rosters AS r
        WHERE $__timeFilter(r.time) AND r.server = '' AND {scope of rosters}
        GROUP BY agent, roster
        HAVING arrayExists(x -> x.4, offered)
    ),
    offers AS
    (
        SELECT
            agent, sum(times) AS n_lists, sum(n * times) / n_lists AS tools, sum(n_told * times) / n_lists AS tools_known,
            sum(if(said > 0, said, listed) * times) / n_lists AS roster_bytes, sum(shown * times) / n_lists AS shown_bytes,
            sum(definitions * times) / n_lists AS all_bytes
        FROM
        (
            SELECT
                agent, roster, any(times) AS times, any(said) AS said, count() AS n, countIf(size > 0) AS n_told,
                sumIf(length(tool.1) + tool.3, tool.4) AS listed, sumIf(size, NOT tool.4) AS shown, sum(size) AS definitions
            FROM lists
            ARRAY JOIN offered AS tool
            LEFT JOIN
            (
                SELECT d.definition_digest AS digest, max(length(d.definition)) AS size FROM tool_definitions AS d WHERE d.time < $__toTime GROUP BY digest
            ) AS sizes ON tool.2 = sizes.digest
            GROUP BY agent, roster
        )
        GROUP BY agent
    ),
    (
        SELECT (groupArray(cityHash64(tool)), groupArray(size))
        FROM (SELECT toString(d.tool_name) AS tool, max(length(d.definition)) AS size FROM tool_definitions AS d WHERE d.time < $__toTime GROUP BY tool)
    ) AS sizes,
    loading AS
    (
        SELECT
            agent, count() AS talks, sum(length(names)) AS loads, sum(arrayCount(x -> x > 0, bytes)) AS told, sum(arraySum(bytes)) AS loaded_bytes,
            sum(n_trips) AS trips, sum(n_tokens) AS trip_tokens
        FROM
        (
            SELECT
                toString(a.agent_name) AS agent, arrayDistinct(groupArrayArray(arrayMap(x -> cityHash64(x), a.loaded))) AS names,
                arrayMap(x -> transform(x, sizes.1, sizes.2, toUInt64(0)), names) AS bytes,
                uniqExactIf(a.turn, (a.via IN ('activation_tool', 'tool_search') AS asks) AND a.turn > 0) + countIf(asks AND a.turn = 0) AS n_trips,
                sumIf(ifNull(a.input_tokens, 0) + ifNull(a.output_tokens, 0), asks) AS n_tokens
            FROM activations AS a
            WHERE $__timeFilter(a.time) AND {scope of activations}
            GROUP BY a.conversation_id, a.agent_name
            HAVING notEmpty(names) OR n_trips > 0
        )
        GROUP BY agent
    ),
    asking AS
    (
        SELECT toString(e.agent_name) AS agent, count() AS requests FROM request_prefixes AS e WHERE $__timeFilter(e.time) AND {scope of events} GROUP BY agent
    ),
    guessing AS
    (
        SELECT toString(w.agent_name) AS agent, sum(ifNull(w.input_tokens, 0) + ifNull(w.output_tokens, 0)) AS guess_tokens
        FROM {calls of wrong names} AS w
        WHERE w.resolution IN ('not_activated', 'connector_name', 'prefix_repair', 'guessed', 'unknown')
        GROUP BY agent
    )
SELECT
    agent, if(asked > 0, asked, greatest(talks, 1)) AS requests, tools, loads, trips AS round_trips, roster_bytes / bytes_per_token AS roster_tokens,
    shown_bytes / bytes_per_token + if(told = 0, 0, loaded_bytes * loads / greatest(told, 1) / bytes_per_token / greatest(talks, 1)) AS loaded_tokens,
    all_bytes / bytes_per_token AS everything_tokens,
    (roster_tokens + loaded_tokens) * requests + trip_tokens + guess_tokens AS on_demand_tokens,
    everything_tokens * greatest(requests - if(asked > 0, least(trips, requests), 0), 1) AS all_loaded_tokens,
    all_loaded_tokens - on_demand_tokens AS saved_tokens,
    multiIf(tools_known < tools OR tools = 0, 'definitions missing', saved_tokens > 0, 'yes', 'no') AS pays
FROM
(
    SELECT
        offers.agent AS agent, offers.tools AS tools, offers.tools_known AS tools_known, offers.roster_bytes AS roster_bytes, offers.shown_bytes AS shown_bytes,
        offers.all_bytes AS all_bytes, loading.talks AS talks, loading.loads AS loads, loading.told AS told, loading.loaded_bytes AS loaded_bytes,
        loading.trips AS trips, loading.trip_tokens AS trip_tokens, asking.requests AS asked, guessing.guess_tokens AS guess_tokens
    FROM offers
    LEFT JOIN loading ON loading.agent = offers.agent
    LEFT JOIN asking ON asking.agent = offers.agent
    LEFT JOIN guessing ON guessing.agent = offers.agent
)
ORDER BY agent
LIMIT 100
-- Activations are stored by conversation, so that one is done before the next begins.
SETTINGS optimize_aggregation_in_order = 1
