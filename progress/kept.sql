-- Up to which stream sequence of each lane a detector has judged all, by which rules.
SELECT toString(lane) AS name, rules AS by_rules, seq AS last
FROM detector_progress FINAL
WHERE detector = ?
