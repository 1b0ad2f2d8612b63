-- Validation errors by where in the arguments they were.
SELECT
    toString(c.server) AS server, toString({tool}) AS tool, toString(path) AS place, toString(keyword) AS keyword, count() AS errors,
    arrayStringConcat(arraySort(groupUniqArrayIf(5)(toString(c.request_model), c.request_model != '')), ', ') AS models,
    argMax(message, c.time) AS example, max(c.time) AS last
FROM tool_calls AS c
ARRAY JOIN c.`validation_errors.path` AS path, c.`validation_errors.keyword` AS keyword, c.`validation_errors.message` AS message
WHERE $__timeFilter(c.time) AND (c.outcome = 'validation_error' OR c.drift_class = 'validation_error') AND {scope of calls}
GROUP BY server, tool, place, keyword
ORDER BY errors DESC, server, tool, place, keyword
LIMIT 200
