package analyzer_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
)

func TestCallsThatTheAnalyzerJudgesAreCountedOnce(t *testing.T) {
	db := openStore(t)
	full := strings.Repeat("0", 64)
	insert(t, db, &events.ToolRoster{
		Context: events.Context{ConversationID: "a"}, RosterDigest: full, Reason: events.RosterDeploy,
		Tools: []events.RosterTool{{Name: "get_order", WireDigest: full, DefinitionDigest: full, SchemaDigest: full}},
	})
	guess, said := call("a", events.OutcomeOK), call("a", events.OutcomeOK)
	guess.ToolName = "GetOrder"
	said.Resolution = events.ResolvedOK
	insert(t, db, call("a", events.OutcomeOK), guess, said, call("of no roster", events.OutcomeOK))
	cfg := analyzer.DefaultConfig()
	cfg.Activation.JudgeAfter = 0
	m := metrics.NewAnalyzer(prometheus.NewPedanticRegistry())
	a, err := analyzer.New(cfg, db, db, nil, m, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r, err := a.Once(t.Context(), finding.Window{})
		if err != nil {
			t.Fatal(err)
		}
		if got := testutil.ToFloat64(m.NamesJudged); got != 2 || r.Activation.Judged != 3 {
			t.Errorf("%v calls counted, %d with a judgment, want 2 and 3", got, r.Activation.Judged)
		}
	}
}
