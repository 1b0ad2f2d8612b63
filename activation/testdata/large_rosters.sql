-- Makes 1,000 lists of the 200 tools, of 50 contents: each lacks three tools, and five are not permitted.
INSERT INTO tool_rosters
(
    lane, seq, pos, ingested_at, part_day, id, source, time, agent_name, conversation_id, roster_digest, reason, `tools.name`, `tools.server`,
    `tools.wire_digest`, `tools.definition_digest`, `tools.schema_digest`, `tools.deferred`, `tools.denied`, `tools.summary_length`,
    `tools.summary_cut`, text_length
)
WITH
    {seed:UInt64} AS seed, number % 50 AS content,
    arrayFilter(t -> t NOT IN (content, content + 50, content + 100), range(200)) AS tools,
    arrayMap(t -> lower(hex(concat(sipHash128(t), sipHash128(t, 1)))), tools) AS digests
SELECT
    {lane:String}, number + 1, 0, {end:DateTime64(3)}, toDate('1970-01-01'), reinterpretAsUUID(sipHash128(seed, 'roster', number)), '/agents/large',
    toDateTime64({end:DateTime64(6)}, 6, 'UTC') - toIntervalSecond(80 * (1000 - number)), concat('agent-', toString(number % 5)),
    '', lower(hex(sipHash128(content))), 'unknown', arrayMap(t -> concat('tool_', leftPad(toString(t), 3, '0')), tools),
    arrayMap(t -> concat('server-', toString(t % 8)), tools), digests, digests, digests, arrayMap(t -> t > 10, tools),
    arrayMap(t -> t > 195, tools), arrayMap(t -> 80, tools), arrayMap(t -> t % 30 = 0, tools), 20000
FROM numbers(1000)
