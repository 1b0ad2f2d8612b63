package dashboards_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/tooltrail/tooltrail/dashboards"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/panels"
)

var update = flag.Bool("update", false, "write rendered/")

func TestMain(m *testing.M) {
	plugins.RegisterDefaultPlugins()
	cog.NewRuntime().RegisterDataqueryVariant(dashboards.Variant())
	enginetest.Main(m)
}

// TestRenderedFilesAreUpToDate holds what is committed against what the views make, and writes it with -update.
func TestRenderedFilesAreUpToDate(t *testing.T) {
	files, err := dashboards.Render(dashboards.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		path := filepath.Join("rendered", name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is not what the views make; run make dashboards:\n%s", path, diff)
		}
	}
	there, err := filepath.Glob("rendered/*.json")
	if err != nil || len(there) != len(files) {
		t.Errorf("%d files are rendered, want %d: %v", len(there), len(files), there)
	}
}

// rendered reads the committed dashboards. The SDK's strict reading of a whole dashboard stops at the first panel, whose error of no errors it
// takes for one: panels are read strictly one by one.
func rendered(t *testing.T) map[string]dashboards.Dashboard {
	t.Helper()
	all := map[string]dashboards.Dashboard{}
	for _, v := range panels.Views() {
		raw, err := os.ReadFile("rendered/" + v.ID + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var d dashboards.Dashboard
		if err := json.Unmarshal(raw, &d); err != nil {
			t.Fatalf("%s: %v", v.ID, err)
		}
		all[v.ID] = d
	}
	return all
}

func TestDashboardsParseStrictly(t *testing.T) {
	for _, v := range panels.Views() {
		raw, err := os.ReadFile("rendered/" + v.ID + ".json")
		if err != nil {
			t.Fatal(err)
		}
		checkStrict(t, v.ID, new(dashboards.Dashboard).UnmarshalJSONStrict(raw))
		var parts struct{ Panels []json.RawMessage }
		if err := json.Unmarshal(raw, &parts); err != nil || len(parts.Panels) < len(v.Panels) {
			t.Fatalf("%s: %d panels of %d, %v", v.ID, len(parts.Panels), len(v.Panels), err)
		}
		for i, panel := range parts.Panels {
			name := fmt.Sprintf("panel %d of %s", i, v.ID)
			if strings.Contains(string(panel), `"type": "row"`) {
				checkStrict(t, name, new(dashboard.RowPanel).UnmarshalJSONStrict(panel))
				continue
			}
			checkStrict(t, name, new(dashboard.Panel).UnmarshalJSONStrict(panel))
		}
	}
}

func TestDashboardsAreWrittenAsTheyAreRead(t *testing.T) {
	for id, d := range rendered(t) {
		if err := d.Validate(); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		raw, err := os.ReadFile("rendered/" + id + ".json")
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(decode(t, raw), decode(t, again)); diff != "" {
			t.Errorf("%s is written as something else:\n%s", id, diff)
		}
	}
}

func decode(t *testing.T, raw []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// checkStrict knows that the SDK returns an error of no errors where nothing is wrong.
func checkStrict(t *testing.T, name string, err error) {
	t.Helper()
	var errs cog.BuildErrors
	if errors.As(err, &errs) && len(errs) == 0 {
		return
	}
	if err != nil {
		t.Errorf("%s does not parse strictly: %v", name, err)
	}
}
