package drift_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

// seenGone lists the pairs of an alias table that a history shows, counted apart from the product: the old name is gone in a release that has the new one.
func seenGone(t *testing.T, path string, table map[string]string) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	var last map[string]countedTool
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	for dec.More() {
		var l struct{ Tools []json.RawMessage }
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		now := countedTools(t, l.Tools)
		for was := range last {
			_, still := now[was]
			if _, there := now[table[was]]; !still && there {
				out[was] = table[was]
			}
		}
		last = now
	}
	return out
}

// aliasTable is the server's own table of former names.
func aliasTable(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile(eventstest.SharedFile(t, "mcp-tool-renames.json"))
	if err != nil {
		t.Fatal(err)
	}
	var table map[string]string
	if err := json.Unmarshal(raw, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

func TestRenamesOfARealHistoryAreFoundAndFewAreMadeUp(t *testing.T) {
	table := aliasTable(t)
	path := eventstest.SharedFile(t, "mcp-tool-history.jsonl")
	_, log := changelogOf(t, path)
	observable := seenGone(t, path, table)
	right, wrong, gone := 0, 0, 0
	var others []string
	for _, e := range log.Entries {
		gone += len(e.Removed)
		for _, r := range e.Renames {
			switch to, known := observable[r.From]; {
			case known && r.To == to:
				right++
			case known:
				wrong++
				t.Logf("%s: %s is %s, not %s", e.Release, r.From, to, r.To)
			default:
				others = append(others, r.Text())
			}
		}
		logMissed(t, &e, observable)
	}
	precision, recall := float64(right)/float64(right+wrong), float64(right)/float64(len(observable))
	t.Logf("%d pairs in the table, %d of them observable; %d names went; hints of those pairs: %d right, %d wrong", len(table), len(observable), gone, right, wrong)
	t.Logf("precision %.3f, recall %.3f; if every other hint is wrong, precision %.3f", precision, recall, float64(right)/float64(right+wrong+len(others)))
	for _, text := range others {
		t.Logf("hint that the table does not have: %s", text)
	}
	if precision < 0.9 || recall < 0.6 {
		t.Errorf("want a precision of 0.9 and a recall of 0.6")
	}
}

func logMissed(t *testing.T, e *drift.Entry, observable map[string]string) {
	t.Helper()
	for _, name := range e.Removed {
		if !slices.ContainsFunc(e.Renames, func(r drift.ToolRename) bool { return r.From == name }) {
			t.Logf("%s: no hint for %s (%s)", e.Release, name, observable[name])
		}
	}
}

// A tool that is taken out of a release's list went nowhere, unless the alias table says where: every other hint for it is made up. A quarter of
// the tools is taken away at a time.
func TestAToolThatIsTakenAwayIsSeldomSaidToBeRenamed(t *testing.T) {
	table := aliasTable(t)
	releases := releasesOf(t, eventstest.SharedFile(t, "mcp-tool-history.jsonl"))
	taken, right, madeUp := 0, 0, map[string]int{}
	for i, r := range releases[1:] {
		then, now := parsedTools(t, releases[i]), parsedTools(t, r)
		for quarter := range 4 {
			gone := map[string]bool{}
			rest := slices.DeleteFunc(slices.Clone(now), func(n events.Tool) bool {
				at := slices.IndexFunc(then, func(o events.Tool) bool { return o.Name == n.Name })
				gone[n.Name] = at >= 0 && at%4 == quarter
				return gone[n.Name]
			})
			taken += len(now) - len(rest)
			for _, hint := range drift.RenameTools(then, rest, nil, drift.Limits{}) {
				switch {
				case gone[hint.From] && table[hint.From] == hint.To:
					right++
				case gone[hint.From]:
					madeUp[hint.Text()]++
				}
			}
		}
	}
	total := 0
	for _, text := range slices.Sorted(maps.Keys(madeUp)) {
		total += madeUp[text]
		t.Logf("%2d %s", madeUp[text], text)
	}
	t.Logf("%d tools taken away: %d hints that the alias table has, %d others", taken, right, total)
	if total*50 > taken {
		t.Errorf("more than one in fifty")
	}
}

func parsedTools(t *testing.T, r drift.Release) []events.Tool {
	t.Helper()
	var out []events.Tool
	for _, raw := range r.Tools {
		tool, err := events.ParseTool(raw)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tool)
	}
	return out
}
