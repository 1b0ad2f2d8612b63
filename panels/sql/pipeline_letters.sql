-- Events that were refused, by reason and place, with the latest as an example.
SELECT
    toString(l.reason) AS reason, toString(l.path) AS place, count() AS letters, min(l.time) AS first, max(l.time) AS last, toString(argMax(l.subject, l.time)) AS subject,
    argMax(l.stream_seq, l.time) AS message, left(toValidUTF8(argMax(left(l.payload, 200), l.time)), 200) AS example
FROM dead_letters AS l
WHERE $__timeFilter(l.time)
GROUP BY reason, place
ORDER BY letters DESC, reason, place
LIMIT 100
