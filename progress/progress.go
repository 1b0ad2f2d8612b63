package progress

import (
	"context"
	"fmt"
	"maps"
	"time"
)

// Keeper keeps how far a detector is; store.DB is one.
type Keeper interface {
	// SaveProgress keeps up to which stream sequence of each lane a detector has judged all, by the rules with this hash.
	SaveProgress(ctx context.Context, detector string, rules uint64, positions map[string]uint64) error
}

// Progress is how far a detector has judged each lane. It is for one goroutine at a time. Make one with [New].
type Progress struct {
	q        Querier
	keep     Keeper
	detector string

	rules uint64            // hash of the rules that at holds for
	at    map[string]uint64 // the sequence up to which each lane is judged; nil before the first look
	noted bool              // whether that is kept for lanes of which nothing was judged, too
}

// New returns the progress of a detector, not read yet.
func New(q Querier, keep Keeper, detector string) *Progress {
	return &Progress{q: q, keep: keep, detector: detector}
}

// Kept returns up to which sequence of each lane all is judged, by the rules with this hash, as it is kept.
func Kept(ctx context.Context, q Querier, detector string, rules uint64) (map[string]uint64, error) {
	at := map[string]uint64{}
	var row struct {
		Name  string `ch:"name"`
		Rules uint64 `ch:"by_rules"`
		Last  uint64 `ch:"last"`
	}
	err := q.Each(ctx, keptSQL, []any{detector}, &row, func() error {
		if row.Rules == rules {
			at[row.Name] = row.Last
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read how far %s is judged: %w", detector, err)
	}
	return at, nil
}

// Begin finds where to go on from: where this process is, else what is kept, else so far back as it says, by when events were stored. judged is the
// table whose rows are judged. What is in other tables is no reason to judge anything the first time, since all of judged is judged with it.
// It reports whether these are other rules than the last time.
func (p *Progress) Begin(ctx context.Context, lanes []Lane, rules uint64, judged string, back time.Duration) (anew bool, err error) {
	if anew = p.at == nil || p.rules != rules; anew {
		at, err := Kept(ctx, p.q, p.detector, rules)
		if err != nil {
			return false, err
		}
		p.at, p.rules, p.noted = at, rules, len(at) > 0
	}
	for i := range lanes {
		l := &lanes[i]
		if _, known := p.at[l.Name]; known {
			continue
		}
		last := l.Last
		if p.noted || l.Table == judged {
			if last, err = l.Find(ctx, p.q, oldSQL, l.Name, l.Name, int64(back/time.Second)); err != nil {
				return false, err
			}
		}
		p.at[l.Name] = last
	}
	return anew, nil
}

// At returns the sequence up to which a lane is judged.
func (p *Progress) At(l *Lane) uint64 { return p.at[l.Name] }

// All returns a copy of the sequences up to which all lanes are judged, by name.
func (p *Progress) All() map[string]uint64 { return maps.Clone(p.at) }

// Note keeps that lanes are judged up to these sequences; the first time that of all lanes. Where it fails, the next [Progress.Begin] goes on from
// what is kept.
func (p *Progress) Note(ctx context.Context, next map[string]uint64) error {
	maps.Copy(p.at, next)
	if !p.noted {
		next = p.at
	}
	if err := p.keep.SaveProgress(ctx, p.detector, p.rules, next); err != nil {
		p.Forget()
		return fmt.Errorf("note how far %s is judged: %w", p.detector, err)
	}
	p.noted = true
	return nil
}

// Forget has the next [Progress.Begin] go on from what is kept.
func (p *Progress) Forget() { p.at = nil }
