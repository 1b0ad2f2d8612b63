-- How far the detectors that keep what they found have come: the messages of each lane that they have not judged yet.
SELECT
    toString(p.detector) AS detector, p.lane AS lane, p.seq AS judged, newest.seq AS stored, greatest(toInt64(stored) - toInt64(judged), 0) AS behind,
    p.noted_at AS noted_at
FROM detector_progress AS p FINAL
LEFT JOIN
(
    SELECT toString(e.lane) AS lane, max(e.seq) AS seq FROM activations AS e GROUP BY e.lane
    UNION ALL
    SELECT toString(e.lane) AS lane, max(e.seq) AS seq FROM request_prefixes AS e GROUP BY e.lane
    UNION ALL
    SELECT toString(e.lane) AS lane, max(e.seq) AS seq FROM tool_rosters AS e GROUP BY e.lane
    UNION ALL
    SELECT toString(e.lane) AS lane, max(e.seq) AS seq FROM tool_definitions AS e GROUP BY e.lane
) AS newest ON p.lane = newest.lane
ORDER BY behind DESC, detector, lane
LIMIT 100
