package prefix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/finding"
)

// fakeQuerier answers the request query with rows and the others with none.
type fakeQuerier struct {
	rows []requestRow
	err  error
}

func (q fakeQuerier) Each(_ context.Context, query string, args []any, row any, fn func() error) error {
	to, ok := row.(*requestRow)
	if !ok {
		return nil
	}
	if strings.Count(query, "?") != len(args) {
		return fmt.Errorf("%d arguments for %d places", len(args), strings.Count(query, "?"))
	}
	for i := range q.rows {
		*to = q.rows[i]
		if err := fn(); err != nil {
			return err
		}
	}
	return q.err
}

// rowOf turns a request into the row that the store has of it.
func rowOf(o Observed) requestRow {
	r := requestRow{
		ID: o.ID, Time: o.EndTime, Agent: o.AgentName, Conversation: o.ConversationID, Turn: o.Turn, Provider: o.ProviderName, Model: o.RequestModel,
		ToolsKnown: o.ToolsKnown, System: o.System, SystemKnown: o.SystemKnown, Messages: o.Messages, MessagesKnown: o.MessagesKnown,
		Uncached: o.UncachedInputTokens.Ptr(), Read: o.CacheReadInputTokens.Ptr(), Write5m: o.CacheWrite5mInputTokens.Ptr(),
		Write1h: o.CacheWrite1hInputTokens.Ptr(), Output: o.OutputTokens.Ptr(), Status: string(o.Status), Started: o.StartTime, Ended: o.EndTime,
	}
	for _, t := range o.Tools {
		r.ToolNames, r.ToolDigests = append(r.ToolNames, t.Name), append(r.ToolDigests, t.Digest)
	}
	for _, p := range o.Params {
		r.ParamNames, r.ParamDigests = append(r.ParamNames, p.Name), append(r.ParamDigests, p.Digest)
	}
	return r
}

func in(conversation string) opt {
	return func(o *Observed) { o.ConversationID, o.AgentName = conversation, "agent" }
}

func TestTheReportHasThePathsThatScriptsRead(t *testing.T) {
	q := fakeQuerier{rows: []requestRow{
		rowOf(req(1, 0, 0, 50_000, in("a"))), rowOf(req(2, 9, 0, 50_000, in("a"), tools("A:1,B:2,C:3"))),
		rowOf(req(1, 0, 0, 5000, in("b"), model("house"))), rowOf(req(2, 999, 0, 5000, in("b"), model("house"))),
	}}
	report, found, err := Analyze(t.Context(), q, finding.Window{}, DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Requests int64
		Verdicts map[string]struct {
			Count      int64    `json:"count"`
			TokensLost int64    `json:"tokens_lost"`
			CostUSD    *float64 `json:"cost_usd"`
		}
		Conversations []struct {
			ID       string
			Requests int64
			Breaks   []struct {
				Request    int64
				Verdict    string
				Secondary  []string
				TokensLost *int64   `json:"tokens_lost"`
				CostUSD    *float64 `json:"cost_usd"`
				Tools      []ToolChange
			}
		}
		CostUSD *float64 `json:"cost_usd"`
		Stated  *float64 `json:"stated_cost_usd"`
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Requests != 4 || got.Verdicts["tools_changed"].TokensLost != 50_000 || got.Verdicts["ttl_expired"].CostUSD != nil || got.CostUSD == nil || got.Stated != nil {
		t.Errorf("report %s", raw)
	}
	a, b := got.Conversations[0], got.Conversations[1]
	if a.ID != "a" || a.Breaks[0].Request != 2 || a.Breaks[0].CostUSD == nil || a.Breaks[0].Tools[0].Name != "C" || a.Breaks[0].Secondary == nil {
		t.Errorf("first conversation %+v", a)
	}
	if b.Breaks[0].CostUSD != nil || *b.Breaks[0].TokensLost != 5000 || b.Requests != 2 {
		t.Errorf("second conversation %+v: want tokens and no dollars", b)
	}
	if len(found) != 2 || found[0].Rule != "tools_changed" || found[0].Severity != finding.Warning || found[1].Severity != finding.Info ||
		found[0].Subject != (finding.Subject{Agent: "agent", Conversation: "a"}) || !strings.Contains(found[0].Title, "50,000 tokens") {
		t.Errorf("findings %+v", found)
	}
}

func TestARowIsTheRequestThatItWas(t *testing.T) {
	want := req(3, 4, 5, 6, in("c"), param("thinking", "x"))
	r := rowOf(want)
	if d := cmp.Diff(want, r.observed(), cmp.AllowUnexported(Observed{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestAReportIsBoundedAndKeepsTheDearest(t *testing.T) {
	var q fakeQuerier
	for i := range 50 {
		id := in(fmt.Sprintf("c%02d", i))
		q.rows = append(q.rows, rowOf(req(1, 0, 0, int64(1000*(i+1)), id)), rowOf(req(2, 9, 0, 10, id)))
	}
	s := DefaultSettings()
	s.MaxConversations, s.MaxFindings = 3, 4
	report, found, err := Analyze(t.Context(), q, finding.Window{}, s)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Conversations) != 3 || report.Omitted != 47 || report.Conversations[0].ID != "c49" || report.Requests != 100 {
		t.Errorf("%d conversations, %d omitted, first %s", len(report.Conversations), report.Omitted, report.Conversations[0].ID)
	}
	if len(found) != 4 || found[0].Subject.Conversation != "c49" {
		t.Errorf("%d findings, first %+v", len(found), found[0])
	}
}

func TestAnAnalysisThatFailsSaysSo(t *testing.T) {
	broken := errors.New("away")
	if _, _, err := Analyze(t.Context(), fakeQuerier{err: broken}, finding.Window{}, DefaultSettings()); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	s := DefaultSettings()
	s.MinReadShare = 2
	if _, _, err := Analyze(t.Context(), fakeQuerier{}, finding.Window{}, s); err == nil {
		t.Error("settings that make no sense were taken")
	}
}

func TestEveryBreakSaysWhatToDo(t *testing.T) {
	for _, v := range Verdicts() {
		if !v.Break() {
			continue
		}
		if a := action(v, []Break{{Verdict: v}}); len(a) < 40 || causes[v] == "" {
			t.Errorf("%s: %q", v, a)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 3_373_076: "3,373,076", -1234: "-1,234"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}
