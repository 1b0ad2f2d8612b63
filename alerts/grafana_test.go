package alerts_test

import (
	"cmp"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/grafana/grafana-foundation-sdk/go/alerting"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/expr"

	"github.com/tooltrail/tooltrail/alerts"
	"github.com/tooltrail/tooltrail/dashboards"
)

// withoutTwin are the alerts that can't be asked of the store.
var withoutTwin = []string{"StreamDown", "SettingsRefused"}

func TestEveryAlertHasATwinThatGrafanaEvaluatesItself(t *testing.T) {
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		missing := slices.Contains(withoutTwin, a.Name)
		if missing != (a.SQL() == "") || missing != (a.Plain == "") || !missing && a.Lookback <= 0 {
			t.Errorf("%s: a query of %d bytes, words %q, over %s", a.Name, len(a.SQL()), a.Plain, a.Lookback)
		}
	}
	files, err := os.ReadDir("sql")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		if a.Plain != "" {
			used[cmp.Or(a.Query, a.Name)+".sql"] = true
		}
	}
	for _, f := range files {
		if !used[f.Name()] {
			t.Errorf("%s is the query of no alert", f.Name())
		}
	}
}

// TestGrafanasRulesReadBackStrictly writes each rule as Grafana's HTTP interface has it and reads it back by the strict reader of the SDK, which
// returns an empty list of errors where all is well.
func TestGrafanasRulesReadBackStrictly(t *testing.T) {
	cog.NewRuntime().RegisterDataqueryVariant(dashboards.Variant())
	cog.NewRuntime().RegisterDataqueryVariant(expr.VariantConfig())
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		if a.Plain == "" {
			continue
		}
		r, err := a.Rule(alerts.DefaultConfig())
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Data { // the reader asks for the source's type within the query, which Grafana does not
			if q, ok := r.Data[i].Model.(dashboards.Query); ok {
				q.Datasource = dashboards.NewQuery("x", false).Datasource
				r.Data[i].Model = q
			}
		}
		raw, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var back alerting.Rule
		if err := back.UnmarshalJSONStrict(raw); err != nil && err.Error() != "" {
			t.Errorf("%s does not read back: %v", a.Name, err)
		}
		if back.Title != a.Name || len(back.Data) != 2 {
			t.Errorf("%s reads back as %q with %d queries", a.Name, back.Title, len(back.Data))
		}
	}
}

// provisioned is a provisioning file as Grafana reads it.
type provisioned struct {
	APIVersion int `yaml:"apiVersion"`
	Groups     []struct {
		OrgID    int    `yaml:"orgId"`
		Name     string `yaml:"name"`
		Folder   string `yaml:"folder"`
		Interval string `yaml:"interval"`
		Rules    []struct {
			UID       string `yaml:"uid"`
			Title     string `yaml:"title"`
			Condition string `yaml:"condition"`
			Data      []struct {
				RefID             string `yaml:"refId"`
				RelativeTimeRange struct {
					From int `yaml:"from"`
					To   int `yaml:"to"`
				} `yaml:"relativeTimeRange"`
				DatasourceUID string         `yaml:"datasourceUid"`
				Model         map[string]any `yaml:"model"`
			} `yaml:"data"`
			NoDataState  string            `yaml:"noDataState"`
			ExecErrState string            `yaml:"execErrState"`
			For          string            `yaml:"for"`
			Annotations  map[string]string `yaml:"annotations"`
			Labels       map[string]string `yaml:"labels"`
		} `yaml:"rules"`
	} `yaml:"groups"`
}

// maxUID is how long a uid may be in Grafana.
const maxUID = 40

func TestGrafanasFileIsWhatGrafanaReads(t *testing.T) {
	data, err := os.ReadFile("rendered/grafana/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	var f provisioned
	if err := yaml.UnmarshalWithOptions(data, &f, yaml.Strict()); err != nil {
		t.Fatalf("read strictly: %v", err)
	}
	sql := map[string]string{}
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		sql[a.Name] = a.SQL()
	}
	uids := map[string]bool{}
	for _, g := range f.Groups {
		if g.OrgID != 1 || g.Folder == "" || g.Interval == "" {
			t.Errorf("group %s: organisation %d, folder %q, interval %q", g.Name, g.OrgID, g.Folder, g.Interval)
		}
		for _, r := range g.Rules {
			if uids[r.UID] || len(r.UID) > maxUID || !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(r.UID) {
				t.Errorf("%s: uid %q", r.Title, r.UID)
			}
			uids[r.UID] = true
			for name, text := range r.Annotations {
				if strings.Contains(text, "$") || text == "" {
					t.Errorf("%s: Grafana would read its environment for annotation %s: %q", r.Title, name, text)
				}
			}
			for name, text := range r.Labels {
				if strings.Contains(text, "$") {
					t.Errorf("%s: Grafana would read its environment for label %s: %q", r.Title, name, text)
				}
			}
			if len(r.Data) != 2 || r.Condition != r.Data[1].RefID || r.Data[0].Model["rawSql"] != sql[r.Title] || r.Data[1].Model["expression"] != r.Data[0].RefID {
				t.Errorf("%s: its condition %q is not the comparison of its query", r.Title, r.Condition)
			}
			if r.NoDataState != "OK" || r.ExecErrState != map[bool]string{true: "Alerting", false: "KeepLast"}[r.Title == "StoreDown"] || r.For == "" {
				t.Errorf("%s: without data %q, on errors %q, for %q", r.Title, r.NoDataState, r.ExecErrState, r.For)
			}
		}
	}
	if want := len(alerts.All(alerts.DefaultConfig())) - len(withoutTwin); len(uids) != want {
		t.Errorf("%d rules, want %d", len(uids), want)
	}
}
