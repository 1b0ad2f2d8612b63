package drift

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"time"
)

//go:embed versions.sql
var versionsSQL string

//go:embed stored_days.sql
var storedDaysSQL string

// SunsetReport says of a version that was replaced whether it can go.
type SunsetReport struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Version was replaced, Active is the active one.
	Version string `json:"version"`
	Active  string `json:"active"`
	// ReplacedAt is when a newer version became active.
	ReplacedAt time.Time `json:"replaced_at"`
	// From and To are what the share is over, in whole hours; left out where no calls are stored.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
	// Calls are all of the tool, OldCalls those of the version, UnknownCalls those of which nobody knows the version.
	Calls        uint64 `json:"calls"`
	OldCalls     uint64 `json:"old_calls"`
	UnknownCalls uint64 `json:"unknown_calls"`
	// Share is (old + unknown) / calls: what is not known is taken to be old.
	Share float64 `json:"share"`
	// LastCall is the hour of the version's last call in that time.
	LastCall time.Time `json:"last_call,omitzero"`
	// StoredSince is the first day on which calls are stored, of any tool; DaysCovered counts those from From to To.
	StoredSince time.Time `json:"stored_since,omitzero"`
	DaysCovered int       `json:"days_covered"`
	Ready       bool      `json:"ready"`
	// NotYet says why it can't go yet, each reason by itself.
	NotYet []string `json:"not_yet"`
}

// stored is what is known of all stored calls.
type stored struct {
	from, to time.Time
	since    time.Time
	days     int
	versions map[Key]map[string]used
}

// used is how often a version was used.
type used struct {
	calls uint64
	last  time.Time
}

// sunsets judges each version that was replaced.
func (a *analysis) sunsets(ctx context.Context) error {
	replaced := false
	eachDocument(a.known, func(d *Document) { replaced = replaced || len(d.Versions) > 1 })
	if !replaced {
		return nil
	}
	s, err := a.stored(ctx)
	if err != nil {
		return err
	}
	eachDocument(a.known, func(d *Document) {
		for i := range d.Versions {
			if v := &d.Versions[i]; v.State == StateLegacy && d.Active() != nil {
				r := a.sunset(d, v, s)
				a.report.Sunsets = append(a.report.Sunsets, r)
				a.sunsetFinding(&r)
			}
		}
	})
	return nil
}

// stored counts the calls of the last days by version. Whole hours are enough for that.
func (a *analysis) stored(ctx context.Context) (*stored, error) {
	s := &stored{versions: map[Key]map[string]used{}}
	if a.end.IsZero() {
		return s, nil
	}
	s.to = a.end.UTC().Truncate(time.Hour)
	s.from = s.to.AddDate(0, 0, -a.settings.Sunset.OverDays)
	if err := a.versionsUsed(ctx, s); err != nil {
		return nil, err
	}
	var row struct {
		Day   time.Time `ch:"day"`
		Calls uint64    `ch:"calls"`
	}
	err := a.q.Each(ctx, storedDaysSQL, []any{s.to.Unix()}, &row, func() error {
		if s.since.IsZero() {
			s.since = row.Day.UTC()
		}
		if !row.Day.Before(s.from.Truncate(24 * time.Hour)) {
			s.days++
		}
		return nil
	})
	s.days = min(s.days, a.settings.Sunset.OverDays)
	return s, err
}

func (a *analysis) versionsUsed(ctx context.Context, s *stored) error {
	var row struct {
		Server  string    `ch:"server_name"`
		Tool    string    `ch:"tool"`
		Version string    `ch:"version"`
		Calls   uint64    `ch:"calls"`
		Last    time.Time `ch:"last"`
	}
	return a.q.Each(ctx, versionsSQL, []any{max(0, s.from.Unix()), s.to.Unix()}, &row, func() error {
		k := Key{row.Server, row.Tool}
		if s.versions[k] == nil {
			s.versions[k] = map[string]used{}
		}
		s.versions[k][row.Version] = used{row.Calls, row.Last.UTC()}
		return nil
	})
}

// sunset judges one version of a tool.
func (a *analysis) sunset(d *Document, old *VersionEntry, s *stored) SunsetReport {
	active := d.Active()
	r := SunsetReport{
		Server: d.Server, Tool: d.Tool, Version: old.Version, Active: active.Version, ReplacedAt: active.Since.UTC(),
		From: s.from, To: s.to, StoredSince: s.since, DaysCovered: s.days, NotYet: []string{},
	}
	if old.Since.Before(active.Since) {
		r.ReplacedAt = old.Since.UTC()
	}
	for version, u := range s.versions[d.Key()] {
		r.Calls += u.calls
		switch version {
		case old.Version:
			r.OldCalls, r.LastCall = u.calls, u.last
		case "":
			r.UnknownCalls = u.calls
		}
	}
	r.Share = NewRatio(r.OldCalls+r.UnknownCalls, r.Calls).Value
	r.judge(a.settings.Sunset, a.end)
	return r
}

// judge says whether the version can go at a time, and all reasons why not.
func (r *SunsetReport) judge(s SunsetSettings, at time.Time) {
	not := func(format string, args ...any) { r.NotYet = append(r.NotYet, fmt.Sprintf(format, args...)) }
	if at.IsZero() {
		not("no calls are stored")
		return
	}
	if after := r.ReplacedAt.Add(time.Duration(s.AfterDays) * 24 * time.Hour); at.Before(after) {
		not("it was replaced on %s, less than %d days ago", r.ReplacedAt.Format(time.DateOnly), s.AfterDays)
	}
	if r.StoredSince.IsZero() || r.StoredSince.After(r.From) {
		not("calls are stored for %d of the last %d days", r.DaysCovered, s.OverDays)
	}
	switch {
	case r.Calls < s.MinCalls:
		not("the tool had %d calls in %d days; fewer than %d say little", r.Calls, s.OverDays, s.MinCalls)
	case r.Share >= s.MaxShare:
		text := fmt.Sprintf("%s of its calls in %d days (%d of %d) are of %s", percent(r.Share), s.OverDays, r.OldCalls+r.UnknownCalls, r.Calls, r.Version)
		if r.UnknownCalls > 0 {
			text += fmt.Sprintf(" or, %d of them, of no known version", r.UnknownCalls)
		}
		not("%s; want under %s", text, percent(s.MaxShare))
	}
	r.Ready = len(r.NotYet) == 0
}
