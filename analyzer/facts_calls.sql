-- Calls by what findings can be made of, with the first and the last of each and where they were: by tool (part 1), and of drifted ones by model as well
-- (2) and by the agent and its version as well (3). A call can be of several kinds, which are bits of a mask while calls are grouped: by the hashes of
-- names, which is several times as fast as by names. Only the parts that are asked for are made: 2 and 3 cost most.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    arrayMap(x -> toString(x), ?) AS wanted
SELECT
    part, kind, server_name, named AS name, of_model AS model, of_agent AS agent, of_version AS version, '' AS conversation,
    min(at_first) AS first, max(at_last) AS last,
    toString((argMin(start, at_first) AS at_start).1) AS start_agent, toString(at_start.2) AS start_version, toString(at_start.3) AS start_model,
    groupUniqArrayArray(16)(all_agents) AS agents, groupUniqArrayArray(16)(all_environments) AS environments, groupUniqArrayArray(16)(all_teams) AS teams
FROM
(
    SELECT
        toUInt8(arrayJoin(if(bitTest(mask, 0), arrayMap(x -> toInt64(x), ?), [toInt64(1)]))) AS part, toUInt8((drift_class IN ('old_version', 'silent_default', 'unknown_argument', 'validation_error')
                OR (drift_class IN ('', 'unregistered') AND outcome = 'validation_error'))
            + 2 * (drift_class = 'silent_default') + 4 * (outcome = 'validation_error') + 8 * (outcome NOT IN ('', 'ok')) + 16 * (attempt > 1)
            + 32 * notEmpty(`made_up_ids.digest`)) AS mask,
        toString(any(server)) AS server_name, if(part = 2, toString(any(request_model)), '') AS of_model, if(part = 3, toString(any(agent_name)), '') AS of_agent,
        if(part = 3, toString(any(agent_version)), '') AS of_version,
        toString(if(any(resolved_name) = '', any(tool_name), any(resolved_name))) AS meant,
        min(time) AS at_first, max(time) AS at_last, argMin((agent_name, agent_version, request_model), time) AS start,
        groupUniqArray(16)(toString(agent_name)) AS all_agents, groupUniqArray(16)(toString(environment)) AS all_environments, groupUniqArray(16)(toString(team)) AS all_teams,
        arrayFilter(x -> x.1 != '', [
            (if(bitTest(mask, 0), 'drifted', ''), meant), (if(part = 1 AND bitTest(mask, 1), 'silent_default', ''), meant),
            (if(part = 1 AND bitTest(mask, 2), 'invalid', ''), meant), (if(part = 1 AND bitTest(mask, 3), 'failed', ''), meant),
            (if(part = 1 AND bitTest(mask, 4), 'repeated', ''), meant), (if(part = 1 AND bitTest(mask, 5), 'made_up_id', ''), meant)
        ]) AS kinds
    FROM tool_calls
    WHERE time >= lo AND time < hi
        AND (outcome NOT IN ('', 'ok') OR drift_class NOT IN ('', 'current', 'unregistered') OR attempt > 1
            OR notEmpty(`made_up_ids.digest`))
        AND (tool_name IN (?) OR resolved_name IN (?))
    GROUP BY
        part, mask,
        cityHash64(server) + 3 * cityHash64(tool_name) + 5 * cityHash64(resolved_name)
            + multiIf(part = 2, 11 * cityHash64(request_model), part = 3, 13 * cityHash64(agent_name) + 17 * cityHash64(agent_version), 0) AS names
)
ARRAY JOIN kinds.1 AS kind, kinds.2 AS named
WHERE has(wanted, named)
GROUP BY part, kind, server_name, named, of_model, of_agent, of_version
ORDER BY part, kind, server_name, named, of_model, of_agent, of_version
LIMIT ?
