package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// judgedRun is a conversation with one request of each verdict and more, and what was said of each.
func judgedRun() ([]prefix.Observed, []prefix.Judged, []prefix.Happening) {
	var reqs []prefix.Observed
	var judged []prefix.Judged
	add := func(j prefix.Judged) *prefix.Judged {
		n := len(reqs)
		o := prefix.Observed{ID: fmt.Sprint(n)}
		o.AgentName, o.ProviderName, o.RequestModel = "desk", "anthropic", "claude-sonnet-4-5"
		o.StartTime, o.ToolsKnown = at(9).Add(time.Duration(n)*time.Minute), true
		o.CacheReadInputTokens, o.CacheWrite5mInputTokens, o.UncachedInputTokens = events.Tokens(40_000), events.Tokens(1000), events.Tokens(3)
		j.Request, j.Compared, j.Gap, j.ExpectedRead = int64(n+1), n-1, time.Minute, events.Tokens(40_000)
		if j.Verdict.Break() {
			j.TokensLost, j.LostUSD = events.Tokens(40_000), events.USD(0.138)
		}
		reqs, judged = append(reqs, o), append(judged, j)
		return &judged[n]
	}
	none := prefix.Judged{Verdict: prefix.OK, System: -1, Message: -1}
	with := func(v prefix.Verdict, change func(*prefix.Judged)) prefix.Judged {
		j := none
		j.Verdict = v
		if change != nil {
			change(&j)
		}
		return j
	}
	add(with(prefix.ColdStart, nil)).Compared = -1
	for range 12 {
		add(none)
	}
	add(with(prefix.ToolsChanged, func(j *prefix.Judged) {
		j.Tools = []prefix.ToolChange{
			{Name: "lsp", Kind: prefix.ToolAdded, Index: 1, Middle: true},
			{Name: "read", Kind: prefix.ToolSameName, Index: 2, Rhythm: prefix.Flapping},
			{Name: "x\x1b[2J\n", Kind: prefix.ToolRemoved, Index: 3},
		}
		j.Cause, j.CauseNames = prefix.CauseActivation, []string{"lsp"}
		j.Secondary = []prefix.Verdict{prefix.ParamsChanged}
		j.Params = []string{"thinking"}
		j.Diagnosed, j.Agreement = prefix.SystemChanged, prefix.Disagrees
	}))
	reqs[len(reqs)-1].ProviderDiagnosis = "system_changed"
	add(with(prefix.ModelChanged, nil))
	reqs[len(reqs)-1].RequestModel = "claude-opus-4-5"
	add(with(prefix.MessagesChanged, func(j *prefix.Judged) { j.Message = 7 }))
	add(with(prefix.OK, func(j *prefix.Judged) {
		j.Secondary, j.System, j.SystemRhythm = []prefix.Verdict{prefix.SystemChanged}, 0, prefix.Volatile
	}))
	for range 14 {
		add(with(prefix.SystemChanged, func(j *prefix.Judged) { j.System, j.SystemRhythm = 0, prefix.Volatile }))
	}
	add(with(prefix.TTLExpired, nil)).ClockBackwards = true
	last := add(with(prefix.Unattributed, nil))
	last.TokensLost, last.LostUSD = events.Count{}, events.Amount{}
	o := &reqs[len(reqs)-1]
	o.CacheReadInputTokens, o.CacheWrite5mInputTokens, o.UncachedInputTokens, o.ToolsKnown = events.Count{}, events.Count{}, events.Count{}, false
	happened := []prefix.Happening{
		{Kind: prefix.HappenedConnection, Time: at(11), Servers: []string{"mail"}, Tools: []string{"a", "b"}},
		{Kind: prefix.HappenedActivation, Time: at(9).Add(5*time.Minute + time.Second), Tools: []string{"grep"}},
		{Kind: prefix.HappenedActivation, Time: at(9).Add(12*time.Minute + time.Second), Tools: []string{"lsp"}, Servers: []string{"code"}},
		{Kind: prefix.HappenedDeploy, Time: at(8), Tools: []string{"a"}},
	}
	return reqs, judged, happened
}

func TestTimelinesLookAsTheyShould(t *testing.T) {
	reqs, judged, happened := judgedRun()
	line := NewTimeline("c\x1b[2J1", reqs, judged, happened)
	for _, c := range []struct {
		name   string
		breaks bool
		style  Style
	}{
		{"timeline", false, Style{}},
		{"timeline-60", false, Style{Width: 60}},
		{"timeline-all", false, Style{All: true}},
		{"timeline-breaks", true, Style{Width: 100}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got bytes.Buffer
			if err := WriteTimeline(&got, line, c.breaks, c.style); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name, got.Bytes())
			fits(t, got.String(), c.style)
		})
	}
}

func TestATimelineWithoutRequestsSaysSo(t *testing.T) {
	var got bytes.Buffer
	if err := WriteTimeline(&got, NewTimeline("", nil, nil, nil), false, Style{}); err != nil {
		t.Fatal(err)
	}
	if want := "  Conversation (none): 0 requests.\n"; got.String() != want {
		t.Errorf("have %q, want %q", got.String(), want)
	}
}

func TestLongTimelinesAreShortUnlessAllIsWanted(t *testing.T) {
	var reqs []prefix.Observed
	var judged []prefix.Judged
	for i := range 10_000 {
		o := prefix.Observed{}
		o.StartTime, o.Turn = at(9).Add(time.Duration(i)*time.Second), int64(i+1)
		j := prefix.Judged{Request: int64(i + 1), Verdict: prefix.OK, Compared: i - 1, System: -1, Message: -1}
		if i%1000 == 999 {
			j.Verdict, j.TokensLost = prefix.Unattributed, events.Tokens(int64(i))
		}
		reqs, judged = append(reqs, o), append(judged, j)
	}
	var happened []prefix.Happening
	for i := range 10_000 {
		happened = append(happened, prefix.Happening{Kind: prefix.HappenedActivation, Turn: int64(i + 1), Tools: []string{"t"}})
	}
	line := NewTimeline("c", reqs, judged, happened)
	for all, want := range map[bool]int{false: 80, true: 20_100} {
		var got bytes.Buffer
		if err := WriteTimeline(&got, line, false, Style{Width: 100, All: all}); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(got.String(), "\n"); lines > want || all && lines < 10_000 {
			t.Errorf("all %t: %d lines", all, lines)
		}
	}
	if got := Dearest(line.Requests, 2); got[0].Request != 10_000 || got[1].Request != 9_000 {
		t.Errorf("dearest %d, %d", got[0].Request, got[1].Request)
	}
}

func TestWhatHappenedStandsBeforeTheRequestThatFollowed(t *testing.T) {
	reqs, judged, happened := judgedRun()
	line := NewTimeline("c", reqs, judged, happened)
	var before []int
	for i := range line.Requests {
		for range line.Requests[i].Before {
			before = append(before, i)
		}
	}
	if want := []int{0, 6, 13}; !slices.Equal(before, want) || len(line.After) != 1 {
		t.Errorf("before requests %v, want %v; %d after", before, want, len(line.After))
	}
	if c := line.Totals; c.Breaks != 19 || c.UnknownTokens != 1 || c.UnknownCost != 1 || c.Unreported != 1 || c.Disagreed != 1 {
		t.Errorf("totals %+v", c)
	}
}
