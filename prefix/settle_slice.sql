-- The stream sequence of the last of so many rows of a lane, behind one sequence and up to another.
SELECT max(seq) AS last
FROM (SELECT seq FROM {table} WHERE lane = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?)
