package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/alerts"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store"
)

// notSaid are alerts whose twin in Grafana does not exist, or says nothing of the sample.
var notSaid = []string{"StreamDown", "SettingsRefused", "DiskFilling"}

// labelsOf are the labels that the query of an alert's twin in Grafana gives: the columns of text of its rows.
var labelsOf = map[string][]string{
	"DriftOver20": {"server", "tool", "model"}, "DriftOver5": {"server", "tool", "model"}, "CacheTokensLost": {"agent", "part"},
	"CacheFlapping": {"agent", "part"}, "RosterChangedInConversation": {"agent"}, "DefinitionsChanged": {"server"}, "ClientDrops": {"agent", "reason"},
	"GuessedNames": {}, "CallsBeforeActivation": {}, "RosterSummariesCut": {},
	"SilentDefault": {"server", "tool"}, "ToolDisabled": {"server", "tool"}, "RetryCost": {"server", "tool"}, "CallLoop": {"server", "tool"},
	"MadeUpIds": {"server", "tool"},
}

var oneLabel = regexp.MustCompile(`(\w+)="([^"]*)"`)

// expectedInGrafana is what Grafana's own rules are to say: the same, with the labels that their queries have.
func expectedInGrafana(t *testing.T, expected []onSample) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	var over20 []string
	for _, e := range expected {
		if slices.Contains(notSaid, e.name) {
			continue
		}
		if e.name == "DriftOver20" {
			over20 = e.labels
		}
		names, ok := labelsOf[e.name]
		if !ok && len(e.labels) > 0 {
			t.Fatalf("nothing says which labels %s has in Grafana", e.name)
		}
		var labels []string
		for _, l := range e.labels {
			if e.name != "DriftOver5" || !slices.Contains(over20, l) {
				labels = append(labels, narrowedTo(l, names))
			}
		}
		slices.Sort(labels)
		all[e.name] = slices.Compact(labels)
	}
	return all
}

func narrowedTo(labels string, names []string) string {
	var some []string
	for _, m := range oneLabel.FindAllStringSubmatch(labels, -1) {
		if slices.Contains(names, m[1]) {
			some = append(some, m[0])
		}
	}
	return strings.Join(some, ",")
}

// compareWithGrafana asks the queries of Grafana's own rules. What the breaker did is stored a moment later than it did it.
func (u *sampleUp) compareWithGrafana(t *testing.T, want map[string][]string) {
	t.Helper()
	got := map[string][]string{}
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		if slices.Contains(notSaid, a.Name) {
			continue
		}
		if want[a.Name] != nil && a.Name == "ToolDisabled" {
			waitFor(t, time.Minute, "the history of the tool", func() bool { return len(overInStore(t, u.db, &a)) > 0 })
		}
		got[a.Name] = overInStore(t, u.db, &a)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what Grafana's rules say (-put in +said):\n%s", diff)
	}
}

// overInStore returns the labels of the rows over an alert's limit.
func overInStore(t *testing.T, db *store.DB, a *alerts.Alert) (labels []string) {
	t.Helper()
	query, err := panels.Expand(a.SQL(), panels.Scope{From: time.Now().AddDate(-5, 0, 0), To: time.Now().Add(time.Second)})
	if err != nil {
		t.Fatalf("%s: %v", a.Name, err)
	}
	rows, err := db.Rows(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v in\n%s", a.Name, err, query)
	}
	for _, row := range rows.Values {
		var of []string
		value := 0.0
		for i, v := range row {
			switch v := v.(type) {
			case float64:
				value = v
			case string:
				if v != "" {
					of = append(of, fmt.Sprintf("%s=%q", rows.Columns[i], v))
				}
			}
		}
		if value > a.Over {
			labels = append(labels, strings.Join(of, ","))
		}
	}
	slices.Sort(labels)
	return labels
}
