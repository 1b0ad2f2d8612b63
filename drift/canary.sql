-- Calls of one tool by the canary's cohorts. A call of the canary's cohort that was judged by another version, or one of the baseline's that
-- was judged by the canary's, is of a client that does not know yet: those are left out and counted. Refused calls did not run.
WITH
    fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS lo, fromUnixTimestamp64Micro(toInt64(?), 'UTC') AS hi,
    ? AS canary_version
SELECT
    if(strange, '', of_cohort) AS cohort_name,
    count() AS calls,
    countIf(drift_class NOT IN ('', 'unregistered') OR outcome = 'validation_error') AS judged,
    countIf(drift_class IN ('old_version', 'silent_default', 'unknown_argument', 'validation_error')
        OR (drift_class IN ('', 'unregistered') AND outcome = 'validation_error')) AS drifted,
    countIf(outcome != 'refused') AS ran,
    countIf(outcome IN ('execution_error', 'validation_error')) AS errors,
    uniqIf(piece_hash, piece_hash != 0) AS conversations
FROM
(
    SELECT
        toString(cohort) AS of_cohort, drift_class, outcome, piece_hash,
        active_version != '' AND (cohort = 'canary') != (active_version = canary_version) AS strange
    FROM tool_calls
    WHERE server = ? AND if(resolved_name = '', tool_name, resolved_name) = ? AND time >= lo AND time < hi
        AND cohort IN ('canary', 'baseline')
)
GROUP BY cohort_name
ORDER BY cohort_name
