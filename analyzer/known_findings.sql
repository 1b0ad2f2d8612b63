-- What is stored of findings, by their fingerprints.
SELECT fingerprint, first_seen, state, muted_until
FROM findings_now WHERE has(?, fingerprint)
