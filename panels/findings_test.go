package panels_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// TestFindingsShowForEachPlaceOfTheirs narrows the findings to agents, environments and teams: one over two of them shows for each, one whose
// places nobody knows, or that has more of them than are kept, for all.
func TestFindingsShowForEachPlaceOfTheirs(t *testing.T) {
	addr, database := enginetest.Database(t)
	s := sample{db: storetest.Open(t, addr, database)}
	both := finding.Places{Agents: []string{"desk", "bot"}, Environments: []string{"production", "staging"}, Teams: []string{"support", "release"}}
	one := finding.Places{Agents: []string{"bot"}, Environments: []string{"staging"}, Teams: []string{"release"}}
	many := finding.Places{Environments: []string{"staging"}, Teams: []string{"release"}}
	for i := range finding.MaxPlaces {
		many.Agents = append(many.Agents, fmt.Sprintf("agent-%02d", i))
	}
	for i, f := range []finding.Finding{
		{Title: "both", Seen: both}, {Title: "bot", Seen: one, Subject: finding.Subject{Agent: "bot"}, Environment: "staging", Team: "release"},
		{Title: "anywhere"}, {Title: "owned", Seen: one, Team: "platform"}, {Title: "many", Seen: many},
	} {
		f.Detector, f.Rule, f.Severity, f.Fingerprint, f.LastSeen = "drift", "drift_ratio", finding.Warning, fmt.Sprint(i), troubled
		if err := s.db.SaveFindings(t.Context(), []finding.Finding{f}); err != nil {
			t.Fatal(err)
		}
	}
	whole := panels.Scope{From: troubled, To: troubled.Add(time.Hour)}
	for _, c := range []struct {
		variable, value string
		want            []string
	}{
		{"agent", "", []string{"anywhere", "bot", "both", "many", "owned"}},
		{"agent", "desk", []string{"anywhere", "both", "many"}},
		{"agent", "bot", []string{"anywhere", "bot", "both", "many", "owned"}},
		{"agent", "nobody", []string{"anywhere", "many"}},
		{"environment", "production", []string{"anywhere", "both"}},
		{"environment", "staging", []string{"anywhere", "bot", "both", "many", "owned"}},
		{"team", "support", []string{"anywhere", "both"}},
		{"team", "platform", []string{"anywhere", "owned"}},
	} {
		scope := whole
		scope.Set(c.variable, c.value)
		for _, id := range []string{"overview_worst", "drift_findings"} {
			var got []string
			for _, row := range run(t, s, find(t, id), scope) {
				got = append(got, fmt.Sprint(row["title"]))
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s of %s %q (-want +got):\n%s", id, c.variable, c.value, diff)
			}
		}
		counts := run(t, s, find(t, "overview_findings"), scope)[0]
		if number(counts["warning"]) != float64(len(c.want)) {
			t.Errorf("%s %q: %v warnings, want %d", c.variable, c.value, counts["warning"], len(c.want))
		}
	}
}
