package panels_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store/storetest"
)

var update = flag.Bool("update", false, "write docs/panels.md")

const docFile = "../docs/panels.md"

// docHead is what docs/panels.md begins with.
const docHead = `# Panels

Generated from package panels by ` + "`go test ./panels -update`" + `, the times by ` + "`make bench-large`" + `. What the page and the Grafana dashboards show:
each panel's query is ` + "`panels/sql/PANEL.sql`" + `. Rows are those on the recorded sample; 0 is a trouble that nobody put into it. Times are in milliseconds on a
day of 10 million calls and 10 million requests, warm: by the clock, and of processor time on all cores. They are medians of five on a machine
with two cores, with nothing else running. None may take more than a second by the clock.
`

// timed are a row's times in the file.
var timed = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|.*\\| ([^|]*) \\| ([^|]*) \\|$")

// TestPanelsAreDocumented holds docs/panels.md against the panels and what they say of the sample, and writes it with -update. The times in it
// are kept as they are.
func TestPanelsAreDocumented(t *testing.T) {
	s := openSample(t)
	was, err := os.ReadFile(docFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want := document(t, s, readTimes(string(was)))
	if *update {
		if err := os.WriteFile(docFile, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(was)); diff != "" {
		t.Errorf("docs/panels.md is not what the panels say; run go test ./panels -update:\n%s", diff)
	}
}

// readTimes returns the times of the file by panel or variable.
func readTimes(doc string) map[string][2]string {
	times := map[string][2]string{}
	for _, row := range timed.FindAllStringSubmatch(doc, -1) {
		times[row[1]] = [2]string{row[2], row[3]}
	}
	return times
}

func document(t *testing.T, s sample, times map[string][2]string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(docHead)
	listed := map[string]bool{}
	for _, v := range panels.Views() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n| panel | what | rows | ms | processor ms |\n|---|---|---:|---:|---:|\n", v.Title, v.Question)
		for _, p := range v.Panels {
			row(&b, p.ID, p.Title, len(run(t, s, p, s.scopeOf(v))), times)
		}
		for _, variable := range v.Variables {
			if name := "$" + variable.Name; !listed[name] {
				listed[name] = true
				row(&b, name, "values of the variable "+variable.Name, len(ask(t, s, variable.SQL, s.whole)), times)
			}
		}
	}
	return b.String()
}

func row(b *strings.Builder, id, title string, rows int, times map[string][2]string) {
	fmt.Fprintf(b, "| `%s` | %s | %d | %s | %s |\n", id, title, rows, times[id][0], times[id][1])
}

// writeTimes replaces the times of docs/panels.md.
func writeTimes(b *testing.B, measured map[string]storetest.Took) {
	b.Helper()
	raw, err := os.ReadFile(docFile)
	if err != nil {
		b.Fatal(err)
	}
	doc := timed.ReplaceAllStringFunc(string(raw), func(line string) string {
		id := timed.FindStringSubmatch(line)[1]
		cells := strings.Split(line, "|")
		t, ok := measured[id]
		if !ok || len(cells) != 7 {
			return line
		}
		cells[4], cells[5] = fmt.Sprintf(" %.0f ", storetest.Milliseconds(t.Clock)), fmt.Sprintf(" %.0f ", storetest.Milliseconds(t.CPU))
		return strings.Join(cells, "|")
	})
	if err := os.WriteFile(docFile, []byte(doc), 0o644); err != nil {
		b.Fatal(err)
	}
}
