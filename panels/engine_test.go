package panels_test

import (
	"testing"

	"github.com/tooltrail/tooltrail/panels"
)

// notInSample are the panels that the sample has nothing for: nobody put such a trouble into it.
var notInSample = map[string]bool{
	"overview_letters_over_time": true, "pipeline_letters_over_time": true, "pipeline_letters": true,
	"drift_disabled": true, "drift_switches": true, "drift_definitions": true,
}

// TestEveryPanelAnswersOnTheSample runs each panel's query on the real engine and holds its answer against what the panel shows.
func TestEveryPanelAnswersOnTheSample(t *testing.T) {
	s := openSample(t)
	for _, v := range panels.Views() {
		for _, p := range v.Panels {
			t.Run(p.ID, func(t *testing.T) {
				rows := run(t, s, p, s.scopeOf(v))
				t.Logf("%d rows", len(rows))
				if len(rows) > 0 {
					t.Logf("%v", rows[0])
				}
				if len(rows) == 0 != notInSample[p.ID] {
					t.Errorf("%d rows", len(rows))
				}
				checkColumns(t, p, rows)
			})
		}
	}
}

func checkColumns(t *testing.T, p panels.Panel, rows []map[string]any) {
	t.Helper()
	if len(rows) == 0 {
		return
	}
	for _, c := range p.Columns {
		if _, ok := rows[0][c.Name]; !ok {
			t.Errorf("no column %s", c.Name)
		}
		for variable, column := range setOf(c.Link) {
			if _, ok := rows[0][column]; !ok {
				t.Errorf("the link of %s takes %s from a column %s that is not there", c.Name, variable, column)
			}
		}
	}
	if _, ok := rows[0]["time"]; p.Kind == panels.TimeSeries && !ok {
		t.Error("a time series without a time")
	}
}

func setOf(l *panels.Link) map[string]string {
	if l == nil {
		return nil
	}
	return l.Set
}

// run returns the rows of a panel, by the name of the column.
func run(t testing.TB, s sample, p panels.Panel, scope panels.Scope) []map[string]any {
	t.Helper()
	return ask(t, s, p.SQL, scope)
}

// ask returns the rows of a query with macros, by the name of the column.
func ask(t testing.TB, s sample, sql string, scope panels.Scope) []map[string]any {
	t.Helper()
	query, err := panels.Expand(sql, scope)
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
