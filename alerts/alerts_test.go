package alerts_test

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/alerts"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/panels"
)

var update = flag.Bool("update", false, "rewrite what is rendered")

const rendered = "rendered"

func TestWhatIsRenderedIsWhatTheCodeSays(t *testing.T) {
	files, err := alerts.Files(alerts.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range files {
		path := filepath.Join(rendered, name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is old; run make alerts (-file +code):\n%s", path, diff)
		}
	}
	_ = filepath.WalkDir(rendered, func(path string, d os.DirEntry, err error) error {
		if name, _ := filepath.Rel(rendered, path); err == nil && !d.IsDir() && files[name] == nil {
			t.Errorf("%s is made by nothing", path)
		}
		return err
	})
}

// listed are the alerts that on-call was promised.
var listed = strings.Fields(`DriftOver5 DriftOver20 SilentDefault RetryCost ToolDisabled BreakingChangeInMinor SchemaChangedWithoutVersion CanaryWorse
	SunsetReady CacheTokensLost CacheFlapping RosterChangedInConversation GuessedNames CallsBeforeActivation CallLoop MadeUpIds RosterSummariesCut
	IngestLag IngestStopped DeadLetters ClientDrops AnalyzerStale SettingsRefused StoreDown DiskFilling`)

func TestTheListOfAlertsIsWhatTheCodeSays(t *testing.T) {
	const path = runbooks + "/README.md"
	var got bytes.Buffer
	if err := alerts.Document(&got, alerts.DefaultConfig()); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s is old; run go test ./alerts -run List -update (-file +code):\n%s", path, diff)
	}
}

func TestEveryAlertThatWasPromisedIsThereOnce(t *testing.T) {
	seen := map[string]int{}
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		seen[a.Name]++
		if a.Summary == "" || a.Next == "" {
			t.Errorf("%s lacks words or a query", a.Name)
		}
		if _, ok := panels.Find(a.View); !ok {
			t.Errorf("%s links to the view %q, which is none", a.Name, a.View)
		}
	}
	for _, name := range listed {
		if seen[name] != 1 {
			t.Errorf("%s is there %d times", name, seen[name])
		}
	}
}

var (
	metricName = regexp.MustCompile(`tooltrail_[a-z0-9_]+`)
	selector   = regexp.MustCompile(`(tooltrail_[a-z0-9_]+)\{([^}]*)\}`)
	matched    = regexp.MustCompile(`([a-z_]+)(?:=~|!=|!~|=)`)
	grouped    = regexp.MustCompile(`(?:by|on) \(([a-z_, ]*)\)`)
)

// known are the labels of every metric by the names that a query may use.
func known() map[string][]string {
	all := map[string][]string{}
	for _, c := range metrics.Components() {
		for _, d := range c.Metrics {
			all[d.Name()] = d.Labels
			if d.Type == metrics.Histogram {
				for _, suffix := range []string{"_bucket", "_sum", "_count"} {
					all[d.Name()+suffix] = d.Labels
				}
			}
		}
	}
	return all
}

func TestEveryMetricInAnExpressionExistsWithThoseLabels(t *testing.T) {
	all := known()
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		text := a.Expr + " " + a.Summary
		names := metricName.FindAllString(text, -1)
		if len(names) == 0 {
			t.Errorf("%s is of no metric", a.Name)
		}
		labels := []string{"instance", "job"}
		for _, name := range names {
			if _, ok := all[name]; !ok {
				t.Errorf("%s: there is no metric %s", a.Name, name)
			}
			labels = append(labels, all[name]...)
		}
		for _, m := range selector.FindAllStringSubmatch(text, -1) {
			for _, l := range matched.FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(all[m[1]], l[1]) {
					t.Errorf("%s: %s has no label %s", a.Name, m[1], l[1])
				}
			}
		}
		for _, m := range grouped.FindAllStringSubmatch(text, -1) {
			for _, l := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' }) {
				if !slices.Contains(labels, l) {
					t.Errorf("%s: groups by %s, which none of its metrics has", a.Name, l)
				}
			}
		}
	}
}

func TestEveryLabelThatALinkSetsIsAVariableOfItsDashboard(t *testing.T) {
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		v, _ := panels.Find(a.View)
		for _, set := range a.Set {
			if !slices.ContainsFunc(v.Variables, func(x panels.Variable) bool { return x.Name == set }) {
				t.Errorf("%s sets %s, which the view %s does not have", a.Name, set, a.View)
			}
		}
	}
}

func TestInhibitionNamesAlertsThatThereAre(t *testing.T) {
	routing, err := alerts.Routing(alerts.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		names[a.Name] = true
	}
	found := regexp.MustCompile(`alertname="(\w+)"`).FindAllSubmatch(bytes.ReplaceAll(routing, []byte(`\"`), []byte(`"`)), -1)
	if len(found) < 5 {
		t.Errorf("only %d alerts inhibit or are inhibited by name", len(found))
	}
	for _, m := range found {
		if !names[string(m[1])] {
			t.Errorf("there is no alert %s", m[1])
		}
	}
}

func TestSettingsThatCantBeAreRefusedByName(t *testing.T) {
	c := alerts.DefaultConfig()
	c.Grafana, c.GuessedShare, c.Lag = "grafana/", 2, 0
	c.Webhook = maps.Clone(c.Webhook)
	c.Webhook[alerts.Page] = ""
	err := c.Validate()
	for _, want := range []string{`grafana address "grafana/"`, "guessed share 2", "lag 0s", "webhook for page"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if _, err := alerts.Files(c); err == nil {
		t.Error("files were rendered by settings that can't be")
	}
}

func ExampleRules() {
	b, err := alerts.Rules(alerts.DefaultConfig())
	if err != nil {
		panic(err)
	}
	_, _ = os.Stdout.Write(b[:bytes.IndexByte(b, '\n')+1])
	// Output: # Made from the package alerts by make alerts; do not edit.
}

// TestWhatAlertsHoldAgainstSilencedFindingsIsAskedFor: the analyzer asks the store for the silenced findings of these rules alone.
func TestWhatAlertsHoldAgainstSilencedFindingsIsAskedFor(t *testing.T) {
	rules, err := os.ReadFile("rendered/rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	query, err := os.ReadFile("../analyzer/silenced_findings.sql")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`tooltrail_finding_silenced\{rule="([a-z_]+)"`).FindAllStringSubmatch(string(rules), -1)
	for _, m := range found {
		if !strings.Contains(string(query), "'"+m[1]+"'") {
			t.Errorf("nobody asks which findings of %s are silenced", m[1])
		}
	}
	if len(found) < 8 {
		t.Errorf("%d rules are few", len(found))
	}
}
