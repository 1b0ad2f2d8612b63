-- Makes tool calls of a day, the same for the same seed: 200 tools of 8 servers, 6 models, 5 agents in 4 versions, conversations of some 60
-- calls that go on side by side, one call in 50 tried again, drift of 1 %, 8 % or 25 % by tool.
INSERT INTO tool_calls
(
    lane, seq, pos, ingested_at, part_day, id, source, time, agent_name, agent_version, environment, conversation_id, turn, request_id,
    provider_name, request_model, cohort, tool_call_id, tool_name, server, resolved_name, resolution, schema_version, active_version, used_version, drift_class,
    outcome, `validation_errors.path`, `validation_errors.keyword`, `validation_errors.message`, unknown_arguments, defaulted_arguments,
    `argument_shape.path`, `argument_shape.type`, arguments_digest, attempt, duration_seconds, input_tokens, output_tokens
)
WITH
    {seed:UInt64} AS seed, {total:UInt64} AS total,
    intDiv(number, 20) AS block, number % 20 AS place,
    -- Of the 20 calls of a block, the fourth to sixth may be one piece of work tried up to three times.
    sipHash64(seed, 'tries', block) % 16 AS tries,
    tries < 5 AND place = 4 OR tries = 0 AND place = 5 AS again,
    toInt64(multiIf(NOT again, 1, place - 2)) AS nth,
    intDiv(block, 300) * 100 + block % 100 AS conversation,
    sipHash64(seed, 'conversation', conversation) AS who,
    sipHash64(seed, 'call', if(again, block * 20 + 3, number)) AS what,
    sipHash64(seed, 'verdict', number) AS verdict,
    toUInt64(200 * pow((what % 1000000) / 1000000, 2.5)) AS tool,
    concat('tool_', leftPad(toString(tool), 3, '0')) AS name,
    concat('server-', toString(tool % 8)) AS of,
    multiIf(tool % 37 = 5, 250, tool % 10 = 3, 80, 10) AS permille,
    multiIf(
        tool % 50 = 49, 'unregistered',
        verdict % 1000 >= permille, 'current',
        bitShiftRight(verdict, 20) % 100 < 60, 'old_version',
        bitShiftRight(verdict, 20) % 100 < 65, 'silent_default',
        bitShiftRight(verdict, 20) % 100 < 80, 'unknown_argument', 'validation_error') AS class,
    class = 'validation_error' AS invalid
SELECT
    {lane:String}, number + 1, 0, {end:DateTime64(3)}, toDate('1970-01-01'), reinterpretAsUUID(sipHash128(seed, number)), '/agents/large',
    toDateTime64({end:DateTime64(6)}, 6, 'UTC') - toIntervalMicrosecond(intDiv(86400000000 * (total - number), total)),
    concat('agent-', toString(who % 5)),
    concat('1.', toString(least(3, toUInt64(4 * number / total) + bitShiftRight(who, 8) % 2)), '.0'), 'production',
    lower(hex(sipHash128(seed, conversation))), intDiv(number, 2000) % 60 + 1, concat('req_', hex(sipHash64(seed, 'request', intDiv(number, 2)))),
    'provider', concat('model-', toString(toUInt64(6 * pow((bitShiftRight(who, 16) % 1000) / 1000, 1.5)))),
    if(tool = 7, if(bitShiftRight(who, 32) % 10 = 0, 'canary', 'baseline'), ''),
    concat('toolu_', hex(sipHash64(seed, 'id', number))), if(who % 5 < 2, concat('mcp__', of, '__', name), name), of, if(who % 5 < 2, name, ''), 'ok',
    '', if(class = 'unregistered', '', 'v2'), multiIf(class = 'unregistered', '', class IN ('old_version', 'silent_default'), 'v1', 'v2'), class,
    multiIf(invalid, 'validation_error', bitShiftRight(verdict, 40) % 100 < 3, 'execution_error', 'ok'),
    if(invalid, ['/unit'], []), if(invalid, ['required'], []), if(invalid, ['required: unit'], []),
    multiIf(class = 'silent_default', ['amount'], class = 'unknown_argument', ['colour'], []), if(class = 'silent_default', ['quantity'], []),
    ['/id', '/quantity', '/unit'], ['string', 'integer', 'string'], lower(hex(sipHash64(seed, 'arguments', what))),
    nth, 0.05 + bitShiftRight(verdict, 8) % 1000 / 500, 300 + bitShiftRight(what, 24) % 2000, 20 + bitShiftRight(what, 40) % 480
FROM numbers({from:UInt64}, {count:UInt64})
