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
