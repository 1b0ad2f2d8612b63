package store

import (
	"context"
	_ "embed" // for the query
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/finding"
)

//go:embed queries/finding_actions.sql
var findingActionsSQL string

// findingAction is an action as its table has it.
type findingAction struct {
	Fingerprint string    `ch:"fingerprint"`
	At          time.Time `ch:"at"`
	ID          string    `ch:"id"`
	Act         string    `ch:"act"`
	Until       time.Time `ch:"until"`
	Severity    string    `ch:"severity"`
	By          string    `ch:"done_by"`
	Why         string    `ch:"why"`
}

func newFindingAction(fingerprint string, a finding.Action) findingAction {
	return findingAction{
		Fingerprint: fingerprint, At: storable(a.At), ID: uuid.NewString(), Act: string(a.Act), Until: storable(a.Until), Severity: string(a.Severity),
		By: a.By, Why: a.Why,
	}
}

func (r *findingAction) action() finding.Action {
	return finding.Action{
		ID: r.ID, At: r.At.UTC(), Act: finding.Act(r.Act), Until: known(r.Until), Severity: finding.Severity(r.Severity), By: r.By, Why: r.Why,
	}
}

// ActOnFindings does one thing to some findings, now, and returns those that there are, as they were. Nothing is overwritten: each action is an
// entry in the finding's history, and the latest says where it is. Where a machine's clock is behind that of the one that wrote the latest
// entry, the new one is dated after it. The action's own time, severity and id are not used.
func (db *DB) ActOnFindings(ctx context.Context, fingerprints []string, a finding.Action) ([]finding.Finding, error) {
	var was []finding.Finding
	var rows []findingAction
	now := db.now().Truncate(time.Microsecond)
	if len(fingerprints) == 0 {
		return nil, nil
	}
	err := db.eachFinding(ctx, FindingFilter{Fingerprints: fingerprints, Limit: len(fingerprints)}, func(r *findingNow) {
		rows = append(rows, r.reopenedBy(&r.findingRow)...)
		a.At, a.Severity = now, finding.Severity(r.Severity)
		if latest := r.latestAction(); !now.After(latest) {
			a.At = latest.Add(time.Microsecond)
		}
		rows = append(rows, newFindingAction(r.Fingerprint, a))
		was = append(was, r.finding())
	})
	if err != nil {
		return nil, err
	}
	return was, db.writeActions(ctx, rows)
}

// SetFindingState is [DB.ActOnFindings] for the breaker, which opens and resolves findings of tools. It returns false where there is no such
// finding, and does nothing to one that is in that state.
func (db *DB) SetFindingState(ctx context.Context, fingerprint string, s finding.State, until time.Time) (bool, error) {
	fs, err := db.Findings(ctx, FindingFilter{Fingerprints: []string{fingerprint}})
	if err != nil || len(fs) == 0 {
		return false, err
	}
	if fs[0].State == s && fs[0].MutedUntil.Equal(until) {
		return true, nil
	}
	acts := map[finding.State]finding.Act{finding.Open: finding.Reopen, finding.Acknowledged: finding.Acknowledge, finding.Muted: finding.Mute, finding.Resolved: finding.Resolve}
	a := finding.Action{Act: acts[s], Until: until, By: finding.ByBreaker, Why: "the tool's switch says so"}
	_, err = db.ActOnFindings(ctx, []string{fingerprint}, a)
	return err == nil, err
}

// FindingHistory returns what was done to findings, by fingerprint, the oldest first.
func (db *DB) FindingHistory(ctx context.Context, fingerprints []string) (map[string][]finding.Action, error) {
	out := map[string][]finding.Action{}
	if len(fingerprints) == 0 {
		return out, nil
	}
	var row findingAction
	err := db.Each(ctx, findingActionsSQL, []any{fingerprints}, &row, func() error {
		out[row.Fingerprint] = append(out[row.Fingerprint], row.action())
		return nil
	})
	return out, err
}

func (db *DB) writeActions(ctx context.Context, rows []findingAction) error {
	return db.writeBlock(ctx, "act on findings", "INSERT INTO finding_actions", len(rows), func(i int) any { return &rows[i] })
}

// findingNow is a finding with where it is now, as the view has it.
type findingNow struct {
	findingRow
	StateSince time.Time `ch:"state_since"`
	StateBy    string    `ch:"state_by"`
	StateWhy   string    `ch:"state_why"`
	Reopened   uint64    `ch:"reopened"`
	LastAct    string    `ch:"last_act"`
	LastActAt  time.Time `ch:"last_act_at"`
}

func (r *findingNow) finding() finding.Finding {
	f := r.findingRow.finding()
	f.Live(finding.Life{
		State: finding.State(r.State), Since: known(r.StateSince), Until: known(r.MutedUntil), By: r.StateBy, Why: r.StateWhy, Reopened: int(r.Reopened), //nolint:gosec // a count
	})
	return f
}

// latestAction is when the latest entry of its history is of, the one that is to be written before another included.
func (r *findingNow) latestAction() time.Time {
	if len(r.reopenedBy(&r.findingRow)) > 0 {
		return r.LastEvent
	}
	return r.LastActAt
}

// reopenedBy returns the entry that a newer sighting of the finding adds to its history.
func (r *findingNow) reopenedBy(sight *findingRow) []findingAction {
	a, ok := finding.Reopening(finding.Action{At: r.LastActAt, Act: finding.Act(r.LastAct)}, r.sighting(), sight.sighting())
	if !ok {
		return nil
	}
	return []findingAction{newFindingAction(r.Fingerprint, a)}
}
