package page

import (
	"context"
	_ "embed" // for the query
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/panels"
)

// variables are the names of what a scope has beside its time.
var variables = []string{"agent", "model", "server", "tool", "environment", "team", "conversation"}

// maxValue is how long a variable's value can be in an address, in bytes; browsers and proxies refuse much longer ones.
const maxValue = 4096

// span is a time range to choose.
type span struct {
	Name, Title string
	Length      time.Duration
}

// spans are the time ranges to choose, the shortest first.
var spans = []span{
	{"1h", "Last hour", time.Hour}, {"6h", "Last 6 hours", 6 * time.Hour}, {"24h", "Last 24 hours", 24 * time.Hour}, {"7d", "Last 7 days", 7 * 24 * time.Hour},
	{"30d", "Last 30 days", 30 * 24 * time.Hour}, {"365d", "Last year", 365 * 24 * time.Hour},
}

// defaultSpan is the one that is shown where nobody chose.
const defaultSpan = "24h"

// asked is what an address asks for.
type asked struct {
	scope panels.Scope
	// last is the name of the span that ends now; empty where from and to were given.
	last string
	// moved says that the range was moved to where events are.
	moved bool
	sort  sorting
}

// sorting says by which column a panel's table is sorted.
type sorting struct {
	panel, column string
	down          bool
}

// readQuery reads a query of an address. Its error names the field.
func readQuery(q url.Values, now time.Time) (asked, error) {
	var a asked
	for _, v := range variables {
		value := q.Get(v)
		if len(value) > maxValue {
			return a, fmt.Errorf("%s: %d bytes, want %d at most", v, len(value), maxValue)
		}
		a.scope.Set(v, value)
	}
	a.sort = readSorting(q.Get("sort"))
	if q.Get("from") != "" || q.Get("to") != "" {
		return a, a.readEnds(q, now)
	}
	name := q.Get("last")
	if name == "" {
		name = defaultSpan
	}
	i := slices.IndexFunc(spans, func(s span) bool { return s.Name == name })
	if i < 0 {
		return a, fmt.Errorf("last: %q is none of 1h, 6h, 24h, 7d, 30d, 365d", name)
	}
	a.last = name
	a.scope.To = now.Truncate(time.Second).Add(time.Second)
	a.scope.From = a.scope.To.Add(-spans[i].Length)
	return a, nil
}

func (a *asked) readEnds(q url.Values, now time.Time) (err error) {
	a.scope.To = now
	if a.scope.From, err = readTime(q.Get("from")); err != nil {
		return fmt.Errorf("from: %w", err)
	}
	if q.Get("to") != "" {
		if a.scope.To, err = readTime(q.Get("to")); err != nil {
			return fmt.Errorf("to: %w", err)
		}
	}
	return a.scope.Validate()
}

// layouts are how times may be written: as the page writes them, and as a browser's form does.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly}

// readTime reads a time, or microseconds since 1970 up to what a query can be narrowed to.
func readTime(text string) (time.Time, error) {
	for _, l := range layouts {
		if t, err := time.Parse(l, text); err == nil && t.Year() >= 1970 && t.Year() < 2200 {
			return t.UTC(), nil
		}
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms > 0 && ms < 7e12 {
		return time.UnixMilli(ms).UTC(), nil
	}
	return time.Time{}, fmt.Errorf("%.40q is no time of the years 1970 to 2199, such as 2026-12-24T08:00:00Z", text)
}

// readSorting reads PANEL:COLUMN or PANEL:COLUMN:desc.
func readSorting(text string) sorting {
	parts := strings.Split(text, ":")
	if len(parts) < 2 {
		return sorting{}
	}
	return sorting{panel: parts[0], column: parts[1], down: len(parts) > 2 && parts[2] == "desc"}
}

func (s sorting) String() string {
	if s.panel == "" {
		return ""
	}
	text := s.panel + ":" + s.column
	if s.down {
		text += ":desc"
	}
	return text
}

// values returns the query of an address that asks for the scope again, with what a view does not know left out.
func (a asked) values(v panels.View) url.Values {
	q := url.Values{}
	if a.last == "" || a.moved {
		q.Set("from", a.scope.From.UTC().Format(time.RFC3339Nano))
		q.Set("to", a.scope.To.UTC().Format(time.RFC3339Nano))
	} else if a.last != defaultSpan {
		q.Set("last", a.last)
	}
	for _, variable := range v.Variables {
		if value, _ := a.scope.Get(variable.Name); value != "" {
			q.Set(variable.Name, value)
		}
	}
	return q
}

//go:embed sql/newest.sql
var newestSQL string

// staleSpan is what is shown of events that are all older than what nobody chose: as long, up to the newest.
const staleSpan = 7 * 24 * time.Hour

// findEvents moves a range that nobody chose, and that has no events, to the newest ones.
func (s *Server) findEvents(ctx context.Context, a *asked, chosen bool) {
	if chosen {
		return
	}
	newest, err := s.newest(ctx)
	if err != nil || newest.Unix() <= 0 || newest.After(a.scope.From) {
		return // the panels say what is wrong
	}
	a.moved, a.last = true, ""
	a.scope.To = newest.Truncate(time.Second).Add(time.Second)
	a.scope.From = a.scope.To.Add(-staleSpan)
}

func (s *Server) newest(ctx context.Context) (time.Time, error) {
	answer, err := s.from.Database.Rows(ctx, newestSQL)
	if err != nil || len(answer.Rows) != 1 {
		return time.Time{}, err
	}
	t, _ := answer.Rows[0][0].(time.Time)
	return t.UTC(), nil
}
