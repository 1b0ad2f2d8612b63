package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheTablesAreDocumentedAsTheyAre(t *testing.T) {
	path := filepath.Join("..", "docs", "tables.md")
	got := document(t, open(t))
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // documentation is public
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; run with -update if it should (-want +got):\n%s", path, diff)
	}
}

const tablesIntro = `# Tables

Generated from the engine by ` + "`go test ./store -update`" + `. Database ` + "`tooltrail`" + `, one table a kind of event; a field has the name that it has in JSON, a
list of structs is one array a field. An empty string is not known, NULL is not reported, 1970-01-01 is no time. A tool's key in
reports is its server and ` + "`if(resolved_name = '', tool_name, resolved_name)`" + `.
`

// document describes all tables from what the engine says of them.
func document(t *testing.T, db *DB) string {
	t.Helper()
	names := []string{}
	for _, table := range Tables() {
		names = append(names, table.Name)
	}
	var b strings.Builder
	b.WriteString(tablesIntro)
	for _, name := range append(names, "request_verdicts", "notable_verdicts", "judged_calls", "looked_up_calls", "detector_progress", "findings", "finding_actions", "findings_now", "tool_changes") {
		var row struct {
			Engine string `ch:"engine"`
			Key    string `ch:"sorting_key"`
		}
		ask(t, db, "SELECT engine, sorting_key FROM system.tables WHERE database = ? AND name = ?", name, &row, func() {
			about := row.Engine + ", sorted by `" + row.Key + "`."
			if row.Engine == "View" {
				about = "A view: each finding in the state that it is in now. Read findings here, without FINAL."
			}
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| column | type | |\n|---|---|---|\n", name, about)
		})
		var col struct {
			Name    string `ch:"name"`
			Type    string `ch:"type"`
			Comment string `ch:"comment"`
		}
		ask(t, db, "SELECT name, type, comment FROM system.columns WHERE database = ? AND table = ? ORDER BY position", name, &col, func() {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", col.Name, col.Type, col.Comment)
		})
	}
	return b.String()
}

func ask(t *testing.T, db *DB, query, table string, row any, fn func()) {
	t.Helper()
	err := db.Each(t.Context(), query, []any{db.cfg.Database, table}, row, func() error {
		fn()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
