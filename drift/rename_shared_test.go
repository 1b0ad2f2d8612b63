package drift

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// historyFile finds a file of the shared data, or skips the test.
func historyFile(t testing.TB, name string) []byte {
	t.Helper()
	dir := os.Getenv("TOOLTRAIL_SHARED_DATA")
	if wd, err := os.Getwd(); dir == "" && err == nil {
		for at := wd; at != filepath.Dir(at); at = filepath.Dir(at) {
			if _, err := os.Stat(filepath.Join(at, "shared", "data")); err == nil {
				dir = filepath.Join(at, "shared", "data")
			}
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Skipf("the shared data is not there: %v", err)
	}
	return raw
}

// readHistory reads a history of releases.
func readHistory(t testing.TB) []Release {
	t.Helper()
	var out []Release
	lines := bufio.NewScanner(bytes.NewReader(historyFile(t, "mcp-tool-history.jsonl")))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r struct {
			Release, Server string
			ReleasedAt      time.Time `json:"released_at"`
			Tools           []json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rel := Release{Name: r.Release, Server: r.Server, At: r.ReleasedAt}
		for _, raw := range r.Tools {
			rel.Tools = append(rel.Tools, jsontext.Value(raw))
		}
		out = append(out, rel)
	}
	return out
}

func TestAWholeHistoryGivesAChangelog(t *testing.T) {
	releases := readHistory(t)
	log, err := NewChangelog(releases, ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	kinds, classes, witnessed, breaking := map[string]int{}, map[Class]int{}, 0, 0
	for _, e := range log.Entries {
		for _, c := range e.Changed {
			if c.Incomplete {
				t.Errorf("%s %s: not compared whole", e.Release, c.Tool)
			}
			for _, ch := range c.Changes {
				if !ch.counts() {
					continue
				}
				kinds[string(ch.Class)+" "+ch.Kind]++
				classes[ch.Class]++
				if ch.Class == Breaking {
					breaking++
					if ch.Witness != nil {
						witnessed++
					} else {
						t.Logf("no witness: %s %s %s %s", e.Release, c.Tool, ch.Kind, ch.Path)
					}
				}
			}
		}
	}
	t.Logf("%v %v; %d of %d breaking changes have a witness", classes, kinds, witnessed, breaking)
	var b strings.Builder
	if err := log.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, r := range releases {
		if !strings.Contains(b.String(), "\n## "+r.Name+" - ") {
			t.Errorf("%s is not in the changelog", r.Name)
		}
	}
	examples := 0
	for _, r := range releases {
		for _, raw := range r.Tools {
			s, err := Compile(raw)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Example(); err != nil {
				t.Errorf("%s %s: %v", r.Name, s.Name, err)
			}
			examples++
		}
	}
	t.Logf("%d examples", examples)
}
