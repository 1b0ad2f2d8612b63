-- Makes verdicts on the requests of a day, the same for the same seed: 20 agents in 3 versions, 6 models of 3 providers, conversations of some
-- 60 requests that go on side by side; 8 requests of 100 broke the cache, 2 more changed something without a break.
INSERT INTO request_verdicts
(
    id, conversation_id, judged_at, content, time, ingested_at, start_time, agent_name, agent_version, environment, team, provider_name, request_model,
    request, compared_id, verdict, secondary, cause, cause_names, `tools.name`, `tools.kind`, `tools.index`, `tools.middle`, `tools.rhythm`, params,
    system_block, system_rhythm, message, gap_seconds, clock_backwards, prompt_tokens, read_tokens, expected_read_tokens, tokens_lost, lost_usd,
    cost_usd, stated_cost_usd, provider_diagnosis, diagnosis_verdict, agreement, `flux.kind`, `flux.part`, `flux.name`, `flux.requests`,
    `flux.changes`, `flux.values`
)
WITH
    {seed:UInt64} AS seed, {total:UInt64} AS total,
    intDiv(intDiv(number, 20), 300) * 100 + intDiv(number, 20) % 100 AS conversation, intDiv(number, 2000) % 3 * 20 + number % 20 + 1 AS place,
    sipHash64(seed, 'conversation', conversation) AS who, sipHash64(seed, 'request', number) AS h,
    multiIf(
        place = 1, 'cold_start', h % 1000 < 30, 'tools_changed', h % 1000 < 45, 'system_changed', h % 1000 < 50, 'params_changed',
        h % 1000 < 55, 'messages_changed', h % 1000 < 60, 'compaction', h % 1000 < 62, 'model_changed', h % 1000 < 70, 'ttl_expired',
        h % 1000 < 80, 'unattributed', h % 1000 < 85, 'no_usage', 'ok') AS said,
    said NOT IN ('cold_start', 'no_usage', 'ok') AS broke,
    said = 'tools_changed' OR said = 'ok' AND h % 1000 >= 990 AS tools,
    said = 'system_changed' OR said = 'ok' AND h % 1000 BETWEEN 980 AND 989 AS system,
    2000 + bitShiftRight(h, 10) % 150000 AS prompt
SELECT
    reinterpretAsUUID(sipHash128(seed, number)), lower(hex(sipHash128(seed, conversation))),
    {end:DateTime64(6)}::DateTime64(6, 'UTC') + toIntervalSecond({again:UInt64}), h + {again:UInt64},
    {end:DateTime64(6)}::DateTime64(6, 'UTC') - toIntervalMicrosecond(intDiv(86400000000 * (total - number), total)) AS at, at, at,
    concat('agent-', toString(who % 20)), concat('1.', toString(bitShiftRight(who, 8) % 3)), 'production', concat('team-', toString(who % 4)),
    ['anthropic', 'openai', 'google'][who % 3 + 1], concat('model-', toString(who % 6)),
    place, if(place = 1, '', toString(reinterpretAsUUID(sipHash128(seed, number - 1)))),
    if({again:UInt64} > 0 AND broke, 'ok', said), if(said = 'ok', if(tools, ['tools_changed'], if(system, ['system_changed'], [])), if(h % 3 = 0, ['ttl_expired'], [])),
    if(tools AND h % 2 = 0, 'activation', ''), if(tools AND h % 2 = 0, [concat('tool-', toString(h % 200))], []),
    if(tools, [concat('tool-', toString(h % 200))], []), if(tools, [['added', 'removed', 'same_name_churn', 'reordered'][h % 4 + 1]], []),
    if(tools, [toInt64(h % 30)], []), if(tools, [h % 2 = 0], []), if(tools, [['once', 'flapping', 'volatile'][h % 3 + 1]], []),
    if(said = 'params_changed', ['thinking'], []), if(system, toInt64(h % 3), -1), if(system, ['once', 'volatile'][h % 2 + 1], ''),
    if(said IN ('messages_changed', 'compaction'), toInt64(h % 100), -1), (h % 100000) / 100, h % 500 = 0,
    prompt, if(broke, 0, prompt), prompt, if(broke AND {again:UInt64} = 0, prompt, 0), if(broke AND {again:UInt64} = 0 AND who % 6 < 5, prompt * 3e-6, NULL),
    if(who % 6 < 5, prompt * 1e-6, NULL), if(h % 2 = 0, prompt * 1e-6, NULL),
    if(broke AND who % 3 = 0, 'tools_changed', ''), if(broke AND who % 3 = 0, 'tools_changed', ''),
    if(broke AND who % 3 = 0, if(said = 'tools_changed', 'agrees', 'disagrees'), ''),
    if(place = 60 AND who % 10 = 0, ['volatile'], []), if(place = 60 AND who % 10 = 0, ['system'], []), if(place = 60 AND who % 10 = 0, ['0'], []),
    if(place = 60 AND who % 10 = 0, [toInt64(60)], []), if(place = 60 AND who % 10 = 0, [toInt64(59)], []), if(place = 60 AND who % 10 = 0, [toInt64(60)], [])
FROM numbers({from:UInt64}, {count:UInt64})
WHERE {where:String}
