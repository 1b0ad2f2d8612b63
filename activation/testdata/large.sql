-- Makes tool calls of a day, the same for the same seed: 200 tools of 8 servers, 6 models, 5 agents, conversations of some 60 calls that go on side
-- by side. Two calls in 100 have a name that is not simply right, one in 500 an id that was made up, three in 100 fail, and in one of 300
-- conversations a failing call is made again and again.
INSERT INTO tool_calls
(
    lane, seq, pos, ingested_at, part_day, id, source, time, agent_name, agent_version, environment, conversation_id, turn, request_id,
    provider_name, request_model, tool_call_id, tool_name, server, resolved_name, resolution, resolution_how, active_version, used_version,
    drift_class, outcome, `made_up_ids.path`, `made_up_ids.digest`, `made_up_ids.value`, `argument_shape.path`, `argument_shape.type`,
    arguments_digest, attempt, duration_seconds, input_tokens, output_tokens
)
WITH
    {seed:UInt64} AS seed, {total:UInt64} AS total,
    intDiv(number, 20) AS block,
    intDiv(block, 300) * 100 + block % 100 AS conversation,
    sipHash64(seed, 'conversation', conversation) AS who,
    -- Of the 20 calls of a block that loops, the fourth to eighth are one call.
    who % 300 = 0 AND number % 20 BETWEEN 4 AND 8 AS looping,
    sipHash64(seed, 'call', if(looping, block * 20 + 3, number)) AS what,
    sipHash64(seed, 'verdict', number) AS verdict,
    toUInt64(200 * pow((what % 1000000) / 1000000, 2.5)) AS tool,
    concat('tool_', leftPad(toString(tool), 3, '0')) AS name,
    concat('server-', toString(tool % 8)) AS of,
    NOT looping AND verdict % 1000 < 20 AS wrong,
    bitShiftRight(verdict, 20) % 100 AS which,
    multiIf(NOT wrong, 'ok', which < 40, 'guessed', which < 60, 'not_activated', which < 80, 'unknown', which < 90, 'prefix_repair',
        which < 95, 'not_permitted', 'renamed') AS rule,
    looping OR wrong OR bitShiftRight(verdict, 40) % 100 < 3 AS failed,
    bitShiftRight(verdict, 50) % 500 = 0 AS made
SELECT
    {lane:String}, number + 1, 0, {end:DateTime64(3)}, toDate('1970-01-01'), reinterpretAsUUID(sipHash128(seed, number)), '/agents/large',
    toDateTime64({end:DateTime64(6)}, 6, 'UTC') - toIntervalMicrosecond(intDiv(86400000000 * (total - number), total)),
    concat('agent-', toString(who % 5)), '1.0.0', 'production', lower(hex(sipHash128(seed, conversation))), intDiv(number, 2000) % 60 + 1,
    concat('req_', hex(sipHash64(seed, 'request', intDiv(number, 2)))), 'provider',
    concat('model-', toString(toUInt64(6 * pow((bitShiftRight(who, 16) % 1000) / 1000, 1.5)))),
    concat('toolu_', hex(sipHash64(seed, 'id', number))),
    multiIf(rule IN ('guessed', 'unknown'), concat('Tool', toString(tool), '_', toString(bitShiftRight(what, 30) % 5)),
        who % 5 < 2, concat('mcp__', of, '__', name), name),
    if(rule = 'unknown', '', of), if(rule != 'unknown' AND (who % 5 < 2 OR rule = 'guessed'), name, ''), rule,
    if(rule = 'guessed', 'case', ''), 'v2', 'v2', 'current', if(failed, 'execution_error', 'ok'),
    if(made, ['/id'], []), if(made, [lower(hex(sipHash128(seed, 'made', number)))], []), if(made, [''], []),
    ['/id', '/quantity', '/unit'], ['string', 'integer', 'string'], lower(hex(sipHash64(seed, 'arguments', what))), 1,
    0.05 + bitShiftRight(verdict, 8) % 1000 / 500, 300 + bitShiftRight(what, 24) % 2000, 20 + bitShiftRight(what, 40) % 480
FROM numbers({from:UInt64}, {count:UInt64})
