-- When the newest event happened.
SELECT max(t) AS newest
FROM
(
    SELECT max(c.time) AS t FROM tool_calls AS c
    UNION ALL
    SELECT max(v.time) AS t FROM request_verdicts AS v
)
