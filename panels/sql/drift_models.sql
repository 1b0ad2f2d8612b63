-- Calls and how they drifted by model. They are grouped by a hash of their names first, which is several times as fast.
SELECT model, {ratio of drifted to calls}, calls, drifted, old_version, silent_default, unknown_argument, validation_error, unjudged, errors
FROM
(
    SELECT
        model, sum(n) AS calls, sum(n_drifted) AS drifted, sum(n_old) AS old_version, sum(n_silent) AS silent_default, sum(n_unknown) AS unknown_argument,
        sum(n_invalid) AS validation_error, sum(n_unjudged) AS unjudged, sum(n_errors) AS errors
    FROM
    (
        {calls by tool and model}
    )
    GROUP BY model
)
ORDER BY ratio DESC, calls DESC, model
LIMIT 200
