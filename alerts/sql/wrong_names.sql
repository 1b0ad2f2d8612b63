-- The share of all calls whose name was wrong by the rules of the alert, where there are five or more. It counts whether the sender looked the
-- name up or the analyzer did later; those are left out whose finding is muted or resolved.
WITH wrong AS
(
    SELECT w.resolution AS rule, w.server AS of_server,
        multiIf(w.bridged_name != '', w.bridged_name,
            w.bridge = '' OR w.resolved_name = '' OR w.resolution IN ('guessed', 'prefix_repair'), w.tool_name, w.resolved_name) AS called
    FROM
    (
        SELECT c.resolution, c.server, c.tool_name, c.resolved_name, c.bridge, c.bridged_name
        FROM tool_calls AS c
        WHERE $__timeFilter(c.time) AND c.resolution IN ({rules})
        UNION ALL
        SELECT j.resolution, j.server, j.tool_name, j.resolved_name, j.bridge, j.bridged_name
        FROM judged_calls AS j FINAL
        WHERE $__timeFilter(j.time) AND j.resolution IN ({rules})
    ) AS w
)
SELECT hits / assumeNotNull((SELECT count() FROM tool_calls AS c WHERE $__timeFilter(c.time))) AS value
FROM
(
    SELECT count() AS hits
    FROM wrong
    WHERE (toString(rule), toString(of_server), toString(called)) GLOBAL NOT IN
    (
        SELECT toString(f.rule), toString(f.server), toString(f.tool) FROM findings_now AS f
        WHERE f.detector = 'activation' AND f.state IN ('muted', 'resolved')
    )
)
WHERE hits >= 5
