-- Makes requests of a day, the same for the same seed: conversations of 60 requests, 100 at a time side by side, each with 20 tools, 2 system blocks
-- and two messages more than the one before; 6 of 100 have another tool, system block or too long a gap.
INSERT INTO request_prefixes
(
    lane, seq, pos, ingested_at, part_day, id, source, time, agent_name, agent_version, conversation_id, turn, provider_name, request_model,
    `tools.name`, `tools.digest`, tools_known, system, system_known, messages, messages_known, `params.name`, `params.digest`,
    uncached_input_tokens, cache_read_input_tokens, cache_write_5m_input_tokens, cache_write_1h_input_tokens, output_tokens, status, start_time, end_time
)
WITH
    {seed:UInt64} AS seed, {total:UInt64} AS total,
    intDiv(number, 6000) * 100 + number % 100 AS conversation, intDiv(number, 100) % 60 + 1 AS place,
    sipHash64(seed, 'conversation', conversation) AS who, sipHash64(seed, 'request', number) AS h,
    h % 100 < 3 AS tools, h % 100 BETWEEN 3 AND 5 AS system, tools OR system OR place = 1 AS broke,
    {end:DateTime64(6)}::DateTime64(6, 'UTC') - toIntervalMicrosecond(intDiv(86400000000 * (total - number), total)) AS at
SELECT
    '1/tooltrail.v1.0.request_prefix', intDiv(number, 100) + 1, number % 100, {end:DateTime64(6)}, toDate('1970-01-01'),
    reinterpretAsUUID(sipHash128(seed, number)), '/agents/large', at, concat('agent-', toString(who % 20)), concat('1.', toString(bitShiftRight(who, 8) % 3)),
    lower(hex(sipHash128(seed, conversation))), place, 'anthropic', 'claude-sonnet-4-5',
    arrayMap(i -> concat('tool_', toString(i)), range(20)),
    arrayMap(i -> lower(hex(if(tools AND i = h % 20, sipHash128(seed, 'other', h), sipHash128(seed, 'tool', i)))), range(20)), true,
    [lower(hex(sipHash128(seed, 'system', who % 20))), lower(hex(if(system, sipHash128(seed, 'clock', h), sipHash128(seed, 'system'))))], true,
    arrayMap(i -> substring(lower(hex(sipHash128(seed, 'message', conversation, i))), 1, 22), range(toUInt64(2 * place - 1))), true,
    ['thinking'], [lower(hex(sipHash128(seed, 'thinking')))],
    10, if(broke, 0, 20000 + 1000 * (place - 1)), if(broke, 20000 + 1000 * place, 1000), 0, 300, 'ok', at, at + toIntervalSecond(5)
FROM numbers({from:UInt64}, {count:UInt64})
