-- Up to which stream sequence of each lane all names are looked up, by which rules.
SELECT toString(lane) AS name, rules AS by_rules, seq AS last
FROM detector_progress FINAL
WHERE detector = ?
