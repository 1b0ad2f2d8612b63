-- The stream sequence of the last of so many rows of a lane, behind one sequence and up to another, and how many there are.
SELECT max(seq) AS last, count() AS n
FROM (SELECT seq FROM {table} WHERE lane = ? AND seq > ? AND seq <= ? {only} ORDER BY seq LIMIT ?)
