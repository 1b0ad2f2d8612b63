-- Calls and how they drifted by server, tool and model. They are grouped by a hash of their names first, which is several times as fast.
SELECT server, tool, model, {ratio of drifted to calls}, calls, drifted, old_version, silent_default, unknown_argument, validation_error, unjudged, errors
FROM
(
    SELECT
        server, tool, model, sum(n) AS calls, sum(n_drifted) AS drifted, sum(n_old) AS old_version, sum(n_silent) AS silent_default, sum(n_unknown) AS unknown_argument,
        sum(n_invalid) AS validation_error, sum(n_unjudged) AS unjudged, sum(n_errors) AS errors
    FROM
    (
        SELECT
            toString(any(c.server)) AS server, toString(any({tool})) AS tool, toString(any(c.request_model)) AS model,
            count() AS n, countIf({drifted}) AS n_drifted,
            countIf(c.drift_class = 'old_version') AS n_old, countIf(c.drift_class = 'silent_default') AS n_silent,
            countIf(c.drift_class = 'unknown_argument') AS n_unknown,
            countIf(c.drift_class = 'validation_error' OR c.drift_class IN ('', 'unregistered') AND c.outcome = 'validation_error') AS n_invalid,
            countIf({unjudged}) AS n_unjudged, countIf(c.outcome IN ('execution_error', 'validation_error')) AS n_errors
        FROM tool_calls AS c
        WHERE $__timeFilter(c.time) AND {scope of calls}
        GROUP BY {hash of tool}, c.request_model
    )
    GROUP BY server, tool, model
)
ORDER BY ratio DESC, calls DESC, server, tool, model
LIMIT 200
