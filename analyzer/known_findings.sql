-- What is stored of findings, by their fingerprints.
SELECT fingerprint, first_seen, last_seen, state, muted_until, state_since, state_by, state_why, toUInt64(reopened) AS reopened, began
FROM findings_now WHERE has(?, fingerprint)
