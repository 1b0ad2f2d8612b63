-- Calls of tools on trial by cohort. The version on trial is the one that most calls of the cohort canary were judged by; calls that were
-- judged by the version of the other cohort are of clients that do not know yet, and are left out. Refused calls did not run.
SELECT
    server, tool, cohort, sum(n) AS calls, sum(n_drifted) / greatest(sum(n_judged), 1) AS ratio, sum(n_errors) / greatest(sum(n_ran), 1) AS error_ratio,
    sum(n_talks) AS conversations, any(trial) AS version
FROM
(
    SELECT
        server, tool, cohort, active, n, n_judged, n_drifted, n_ran, n_errors, n_talks,
        argMaxIf(active, n, cohort = 'canary' AND active != '') OVER (PARTITION BY server, tool) AS trial
    FROM
    (
        SELECT
            toString(c.server) AS server, toString({tool}) AS tool, toString(c.cohort) AS cohort, toString(c.active_version) AS active, count() AS n,
            countIf(c.drift_class NOT IN ('', 'unregistered') OR c.outcome = 'validation_error') AS n_judged, countIf({drifted}) AS n_drifted,
            countIf(c.outcome != 'refused') AS n_ran, countIf(c.outcome IN ('execution_error', 'validation_error')) AS n_errors,
            uniqIf(c.piece_hash, c.piece_hash != 0) AS n_talks
        FROM tool_calls AS c
        WHERE c.cohort IN ('canary', 'baseline') AND $__timeFilter(c.time) AND {scope of calls}
        GROUP BY server, tool, cohort, active
    )
)
WHERE active = '' OR (cohort = 'canary') = (active = trial)
GROUP BY server, tool, cohort
ORDER BY server, tool, cohort
LIMIT 200
