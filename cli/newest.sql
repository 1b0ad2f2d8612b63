-- The time of the newest event that says something of tools; 1970 when there is none.
SELECT max(newest) AS newest FROM
(
    SELECT max(time) AS newest FROM tool_calls
    UNION ALL SELECT max(time) FROM activations
    UNION ALL SELECT max(time) FROM request_prefixes
    UNION ALL SELECT max(time) FROM tool_rosters
)
