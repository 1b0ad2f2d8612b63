-- Makes calls that came without a resolution, twenty a conversation of an hour: four in five of tools that were loaded, one in ten not loaded,
-- one in a hundred guessed.
INSERT INTO tool_calls
(
    lane, seq, pos, ingested_at, part_day, id, source, time, agent_name, conversation_id, turn, tool_name, outcome, input_tokens, output_tokens
)
WITH intDiv(number, 20) AS c, number % 20 AS n, sipHash64(number) AS h
SELECT
    '1/tooltrail.v1.0.tool_call', number + 1, 0, now64(3), toDate('1970-01-01'), reinterpretAsUUID(sipHash128(number)), '/agents/py',
    toDateTime64('2026-01-01 00:00:00', 6, 'UTC') + toIntervalSecond(c % 86400 + 10 + n * 10), concat('agent-', toString(c % 5)),
    concat('conversation-', toString(c)), n + 2,
    multiIf(h % 100 = 0, 'Tool3', h % 100 < 11, concat('tool_', toString(40 + h % 20)), h % 2 = 0, concat('tool_', toString(h % 30)), concat('tool_', toString(30 + h % 3))),
    'ok', 100, 10
FROM numbers({from:UInt64}, {count:UInt64});
INSERT INTO activations (lane, seq, pos, ingested_at, part_day, id, source, time, agent_name, conversation_id, turn, via, asked, loaded)
SELECT
    '1/tooltrail.v1.0.activation', intDiv(number, 20) * 3 + number % 3 + 1, 0, now64(3), toDate('1970-01-01'), reinterpretAsUUID(sipHash128(number, 1)), '/agents/py',
    toDateTime64('2026-01-01 00:00:00', 6, 'UTC') + toIntervalSecond(intDiv(number, 20) % 86400 + number % 3), concat('agent-', toString(intDiv(number, 20) % 5)),
    concat('conversation-', toString(intDiv(number, 20))), 1, 'activation_tool', [concat('tool_', toString(30 + number % 20 % 3))], [concat('tool_', toString(30 + number % 20 % 3))]
FROM numbers({from:UInt64}, {count:UInt64})
WHERE number % 20 < 3;
INSERT INTO tool_rosters
(
    lane, seq, pos, ingested_at, part_day, id, source, time, agent_name, conversation_id, turn, roster_digest, reason, `tools.name`, `tools.server`,
    `tools.wire_digest`, `tools.definition_digest`, `tools.schema_digest`, `tools.deferred`, `tools.denied`, `tools.summary_length`, `tools.summary_cut`
)
WITH range(60) AS tools, arrayMap(t -> lower(hex(concat(sipHash128(t), sipHash128(t, 1)))), tools) AS digests
SELECT
    '1/tooltrail.v1.0.tool_roster', intDiv(number, 20) + 1, 0, now64(3), toDate('1970-01-01'), reinterpretAsUUID(sipHash128(number, 2)), '/agents/py',
    toDateTime64('2026-01-01 00:00:00', 6, 'UTC') + toIntervalSecond(intDiv(number, 20) % 86400), concat('agent-', toString(intDiv(number, 20) % 5)), concat('conversation-', toString(intDiv(number, 20))), 1,
    'digest', 'deploy', arrayMap(t -> concat('tool_', toString(t)), tools), arrayMap(t -> '', tools), digests, digests, digests,
    arrayMap(t -> t >= 30, tools), arrayMap(t -> false, tools), arrayMap(t -> 80, tools), arrayMap(t -> false, tools)
FROM numbers({from:UInt64}, {count:UInt64})
WHERE number % 20 = 0
