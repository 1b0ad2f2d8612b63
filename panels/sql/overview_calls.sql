-- Calls, the share of them that drifted, those whose name was wrong and the ids that were made up.
SELECT
    count() AS calls,
    if(countIf({unjudged}) = calls, NULL, countIf({drifted}) / calls) AS ratio,
    (SELECT count() FROM {calls of wrong names} AS w) AS wrong_names,
    sum(length(c.`made_up_ids.digest`)) AS made_up_ids
FROM tool_calls AS c
WHERE $__timeFilter(c.time) AND {scope of calls}
