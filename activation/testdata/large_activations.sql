-- Makes the activations of the calls' conversations: three a conversation, of four tools each, the second of which may repeat one of the first; one
-- name in 20 is refused.
INSERT INTO activations
(
    lane, seq, pos, ingested_at, part_day, id, source, time, agent_name, conversation_id, turn, provider_name, request_model, via, asked, loaded,
    `refused.name`, `refused.reason`, input_tokens, output_tokens
)
WITH
    {seed:UInt64} AS seed, {total:UInt64} AS total,
    intDiv(number, 3) AS conversation, number % 3 AS place,
    sipHash64(seed, 'conversation', conversation) AS who,
    arrayMap(i -> toUInt64(200 * pow((sipHash64(seed, 'load', conversation, if(i = 0, 0, place * 4 + i)) % 1000000) / 1000000, 2.5)), range(4)) AS tools,
    arrayMap(t -> concat(if(who % 5 < 2, concat('mcp__server-', toString(t % 8), '__'), ''), 'tool_', leftPad(toString(t), 3, '0')), tools) AS names,
    sipHash64(seed, 'refused', number) % 5 = 0 AS refused
SELECT
    {lane:String}, number + 1, 0, {end:DateTime64(3)}, toDate('1970-01-01'), reinterpretAsUUID(sipHash128(seed, 'activation', number)),
    '/agents/large',
    toDateTime64({end:DateTime64(6)}, 6, 'UTC') - toIntervalMicrosecond(intDiv(86400000000 * (total - number), total)),
    concat('agent-', toString(who % 5)), lower(hex(sipHash128(seed, conversation))), place * 2 + 1 - toUInt64(place = 1), 'provider',
    concat('model-', toString(toUInt64(6 * pow((bitShiftRight(who, 16) % 1000) / 1000, 1.5)))), 'activation_tool', names,
    names, if(refused, [concat('nothing_', toString(number % 50))], []), if(refused, ['unknown'], []), 900, 40
FROM numbers({count:UInt64})
