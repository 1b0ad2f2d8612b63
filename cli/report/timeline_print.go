package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/prefix"
)

const (
	// minFold is how many like requests that broke nothing are told in one line, and minFoldBreaks how many like breaks.
	minFold       = 3
	minFoldBreaks = 10
	// maxDearest is how many of the dearest breaks are named below a timeline.
	maxDearest = 5
)

// WriteTimeline prints a conversation, one line a request; like requests in a row are one line, unless [Style.All] is set. With
// breaksOnly it prints the breaks, each below the request that it was compared with.
func WriteTimeline(w io.Writer, t *Timeline, breaksOnly bool, s Style) error {
	if err := note(w, s, t.head()); err != nil {
		return err
	}
	if len(t.Requests) == 0 {
		return nil
	}
	p := &timelinePrinter{Timeline: t, table: timelineTable(), clock: t.clock(), all: s.All}
	switch {
	case breaksOnly:
		p.breaks()
	default:
		p.everything()
	}
	if err := p.table.write(w, s); err != nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	for _, text := range t.foot() {
		if err := note(w, s, text); err != nil {
			return err
		}
	}
	return nil
}

func timelineTable() *table {
	return &table{columns: []column{
		{title: ""}, {title: "request", right: true}, {title: "time", drop: 7}, {title: "model", flex: true, drop: 3}, {title: "tools", right: true, drop: 2},
		{title: "prompt", right: true, drop: 4}, {title: "read", right: true, drop: 6}, {title: "written", right: true, drop: 1},
		{title: "expected", right: true, drop: 5}, {title: "verdict"}, {title: "lost", right: true}, {title: "lost cost", right: true},
	}}
}

// head says whose conversation it is.
func (t *Timeline) head() string {
	text := "Conversation " + shortID(t.Conversation)
	if t.Agent != "" {
		text += " of agent " + t.Agent
	}
	text += ": " + Plural(int64(len(t.Requests)), "request")
	if n := len(t.Requests); n > 0 {
		text += ", " + Span(t.Requests[0].Time, t.Requests[n-1].Time)
	}
	return text + "."
}

// clock is how times are written: with the day where there are several.
func (t *Timeline) clock() string {
	first := t.Requests[0].Time.UTC().Format(time.DateOnly)
	for i := range t.Requests {
		if t.Requests[i].Time.UTC().Format(time.DateOnly) != first {
			return "01-02 15:04:05"
		}
	}
	return time.TimeOnly
}

// timelinePrinter fills the table of a timeline.
type timelinePrinter struct {
	*Timeline
	table *table
	clock string
	all   bool
}

// everything prints all requests, like ones folded.
func (p *timelinePrinter) everything() {
	for from := 0; from < len(p.Requests); {
		to := p.run(from)
		if to-from > 1 {
			p.fold(from, to)
		} else {
			p.request(from, true)
		}
		from = to
	}
	p.happened(p.After)
}

// run returns the end of the requests from one on that are told in one line.
func (p *timelinePrinter) run(from int) int {
	to := from + 1
	for !p.all && to < len(p.Requests) && p.Requests[from].like(&p.Requests[to]) {
		to++
	}
	least := minFold
	if p.Requests[from].Break {
		least = minFoldBreaks
	}
	if to-from < least {
		return from + 1
	}
	return to
}

// like reports whether the same is to be said of both requests, but for figures.
func (r *JudgedRequest) like(o *JudgedRequest) bool {
	return r.Verdict == o.Verdict && slices.Equal(r.Secondary, o.Secondary) && r.Cause == o.Cause && slices.Equal(r.CauseNames, o.CauseNames) &&
		slices.Equal(r.ToolChanges, o.ToolChanges) && slices.Equal(r.Params, o.Params) && same(r.SystemBlock, o.SystemBlock) &&
		r.Agreement == o.Agreement && r.Provider == o.Provider && r.Model == o.Model
}

func same(a, b *int) bool { return a == b || a != nil && b != nil && *a == *b }

// fold prints a run of like requests as one line; of breaks the first is told whole.
func (p *timelinePrinter) fold(from, to int) {
	p.happened(p.Requests[from].Before)
	if p.Requests[from].Break {
		p.row(&p.Requests[from])
		p.why(from)
		from++
	}
	first, last := &p.Requests[from], &p.Requests[to-1]
	text := Plural(int64(to-from), "request") + " " + string(first.Verdict)
	lost, usd := "", ""
	if first.Break {
		total := CacheTotals{Verdicts: map[prefix.Verdict]int64{}}
		for i := from; i < to; i++ {
			total.add(&p.Requests[i])
		}
		text = Count(int64(to-from)) + " more like it"
		lost, usd = Count(total.TokensLost), optionalUSD(total.LostUSD)
	}
	p.table.row("", fmt.Sprintf("%d-%d", first.Request, last.Request), first.Time.UTC().Format(p.clock), first.Model, optionalCount(first.Tools),
		optionalTokens(last.Prompt), "", "", "", text, lost, usd)
	if len(first.Secondary) > 0 && !first.Break {
		p.table.under(foldedWhy(first))
	}
	p.betweenFolded(from, to)
}

// foldedWhy is why the first of some requests is at risk, without what it was compared with.
func foldedWhy(r *JudgedRequest) string {
	alike := *r
	alike.Compared = nil
	return alike.Why()
}

// betweenFolded counts what happened within a run of requests that are one line.
func (p *timelinePrinter) betweenFolded(from, to int) {
	counts := map[prefix.HappeningKind]int64{}
	for i := from + 1; i < to; i++ {
		for _, h := range p.Requests[i].Before {
			counts[h.Kind]++
		}
	}
	var parts []string
	for kind, n := range counts {
		parts = append(parts, Plural(n, strings.ReplaceAll(string(kind), "_", " ")))
	}
	slices.Sort(parts)
	if len(parts) > 0 {
		p.table.under("between them: " + strings.Join(parts, ", "))
	}
}

// breaks prints the breaks, each below the request that it was compared with; many like ones in a row folded.
func (p *timelinePrinter) breaks() {
	printed := -1
	for i := 0; i < len(p.Requests); i++ {
		r := &p.Requests[i]
		if !r.Break {
			continue
		}
		if r.compared > printed || r.compared >= 0 && r.compared < i-1 {
			p.row(&p.Requests[r.compared])
		}
		if to := p.run(i); to-i > 1 {
			p.fold(i, to)
			i = to - 1
		} else {
			p.request(i, r.compared == i-1)
		}
		printed = i
	}
}

// request prints one request with what is to be said of it, and what happened before it where that is wanted.
func (p *timelinePrinter) request(i int, before bool) {
	r := &p.Requests[i]
	if before {
		p.happened(r.Before)
	}
	p.row(r)
	p.why(i)
}

func (p *timelinePrinter) happened(all []HappeningLine) {
	for i := range all {
		p.table.under("~ " + all[i].text())
	}
}

// why prints what is known of a break or a risk below its line.
func (p *timelinePrinter) why(i int) {
	r := &p.Requests[i]
	if r.Break || len(r.Secondary) > 0 {
		p.table.under(r.Why())
	}
	p.table.under(r.diagnosisText())
}

func (p *timelinePrinter) row(r *JudgedRequest) {
	mark, lost, usd := "", "", ""
	if r.Break {
		mark, lost, usd = "!", optionalCount(r.TokensLost), FineUSD(r.LostUSD)
	}
	p.table.row(mark, strconv.FormatInt(r.Request, 10), r.Time.UTC().Format(p.clock), r.Model, optionalCount(r.Tools), optionalTokens(r.Prompt),
		optionalTokens(r.Read), optionalTokens(r.Written), optionalTokens(r.Expected), string(r.Verdict), lost, usd)
	if r.Break {
		cells := p.table.rows[len(p.table.rows)-1]
		cells[0].colour, cells[len(cells)-3].colour = red, red
	}
}
