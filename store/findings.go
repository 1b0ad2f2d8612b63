package store

import (
	"context"
	_ "embed" // for the query
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tooltrail/tooltrail/finding"
)

// FindingFilter chooses findings; an empty field lets all pass.
type FindingFilter struct {
	// Fingerprints names findings one by one.
	Fingerprints []string
	// Detector, Rule and State must be equal.
	Detector, Rule string
	State          finding.State
	// MinSeverity is the mildest severity that passes.
	MinSeverity finding.Severity
	// SeenSince is the earliest last time that a finding was seen.
	SeenSince time.Time
	// Limit is how many to return at most; 0 is 1,000.
	Limit int
}

//go:embed queries/findings.sql
var findingsSQL string

// Findings returns the findings that f chooses, the worst first and then the newest.
func (db *DB) Findings(ctx context.Context, f FindingFilter) ([]finding.Finding, error) {
	var out []finding.Finding
	err := db.eachFinding(ctx, f, func(r *findingRow) {
		if finding.Severity(r.Severity).Rank() >= f.MinSeverity.Rank() {
			out = append(out, r.finding())
		}
	})
	return out, err
}

// SaveFindings stores findings. Of one that is stored already it keeps the first time it was seen, its state and for how long it is muted,
// and takes all else from the new one. One that never was stored is open. A finding without times was seen now.
// Two callers that save the same finding at the same time may lose one's numbers, never a finding.
func (db *DB) SaveFindings(ctx context.Context, fs []finding.Finding) error {
	if len(fs) == 0 {
		return nil
	}
	old, err := db.known(ctx, fs)
	if err != nil {
		return err
	}
	now := db.now()
	rows := make([]*findingRow, 0, len(fs))
	at := map[string]int{}
	for i := range fs {
		r := newFindingRow(fs[i], now)
		r.keep(old[r.Fingerprint])
		if j, twice := at[r.Fingerprint]; twice {
			r.keep(rows[j])
			rows[j] = r
			continue
		}
		at[r.Fingerprint] = len(rows)
		rows = append(rows, r)
	}
	return db.writeFindings(ctx, rows)
}

// SetFindingState sets the state of a stored finding, and until when it is muted where it is. It returns false when there is no
// such finding.
func (db *DB) SetFindingState(ctx context.Context, fingerprint string, s finding.State, mutedUntil time.Time) (bool, error) {
	old, err := db.known(ctx, []finding.Finding{{Fingerprint: fingerprint}})
	if err != nil || len(old) == 0 {
		return false, err
	}
	r := old[fingerprint]
	r.State, r.MutedUntil = string(s), mutedUntil
	r.Version = nextVersion(r.Version, db.now())
	return true, db.writeFindings(ctx, []*findingRow{r})
}

// known returns the stored rows of findings, by fingerprint.
func (db *DB) known(ctx context.Context, fs []finding.Finding) (map[string]*findingRow, error) {
	f := FindingFilter{Limit: len(fs)}
	for i := range fs {
		f.Fingerprints = append(f.Fingerprints, fs[i].Fingerprint)
	}
	out := map[string]*findingRow{}
	err := db.eachFinding(ctx, f, func(r *findingRow) {
		kept := *r
		out[r.Fingerprint] = &kept
	})
	return out, err
}

func (db *DB) eachFinding(ctx context.Context, f FindingFilter, fn func(*findingRow)) error {
	names := f.Fingerprints
	if len(names) == 0 {
		names = []string{""}
	}
	var row findingRow
	return db.Each(ctx, findingsSQL, []any{
		len(f.Fingerprints) == 0, names, f.Detector, f.Detector, f.Rule, f.Rule, string(f.State), string(f.State),
		bound(f.SeenSince), limit(f.Limit),
	}, &row, func() error {
		fn(&row)
		return nil
	})
}

func (db *DB) writeFindings(ctx context.Context, rows []*findingRow) error {
	s := db.writing("")
	delete(s, "insert_deduplication_token")
	batch, err := db.conn.PrepareBatch(clickhouse.Context(ctx, clickhouse.WithSettings(s)), "INSERT INTO findings")
	if err != nil {
		return wrap("save findings", err)
	}
	defer batch.Close()
	for _, r := range rows {
		if err := batch.AppendStruct(r); err != nil {
			return permanent("save findings", "a field does not fit its column")
		}
	}
	return wrap("save findings", batch.Send())
}
