package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/cli"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

// run runs a command in process and returns its status and what it printed.
func run(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	s := cli.Streams{In: strings.NewReader(""), Out: &o, Err: &e, Getenv: func(string) string { return "" }}
	return cli.Run(t.Context(), args, s, "v0.0.0-test"), o.String(), e.String()
}

// judgedLine is what the JSON of prefix check and explain says of a request.
type judgedLine struct {
	Conversation string
	Request      int64
	Verdict      string
	Break        bool
	TokensLost   *int64           `json:"tokens_lost"`
	LostUSD      *float64         `json:"lost_cost_usd"`
	ToolChanges  []map[string]any `json:"tool_changes"`
	Cause        string
}

func TestTheSharedPiSessionIsExplained(t *testing.T) {
	file := eventstest.SharedFile(t, "agent-session-large-session.jsonl")
	status, out, errs := run(t, "prefix", "explain", "--json", "--file", file)
	if status != 0 || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	var got struct{ Requests []judgedLine }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	var dearest judgedLine
	for _, r := range got.Requests {
		if r.Break && (dearest.TokensLost == nil || *r.TokensLost > *dearest.TokensLost) {
			dearest = r
		}
	}
	if len(got.Requests) != 453 || dearest.Request != 416 || *dearest.TokensLost != 162_834 || math.Abs(*dearest.LostUSD-0.5618) > 0.00005 {
		t.Errorf("%d requests, dearest %+v", len(got.Requests), dearest)
	}
	if _, out, _ = run(t, "prefix", "explain", "--file", file, "d703"); !strings.Contains(out, "The dearest: request 416 (unattributed, 162,834 tokens, $0.5618), request 393") {
		t.Errorf("no dearest break in\n%s", out)
	}
	if status, out, _ = run(t, "prefix", "check", "--max-lost", "4000000", "--max-cost", "100", file); status != 3 || !strings.Contains(out, "failed: 4,119,760 tokens lost: 119,760 over") {
		t.Errorf("check has status %d:\n%s", status, out)
	}
}

func TestTheSharedExchangesAreChecked(t *testing.T) {
	status, out, errs := run(t, "prefix", "check", "--json", "--all", eventstest.SharedFile(t, "llm-exchanges.jsonl"))
	if status != 0 || errs != "" {
		t.Fatalf("status %d: %s", status, errs)
	}
	var got struct{ Breaks []judgedLine }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	for _, b := range got.Breaks {
		switch {
		case strings.Contains(b.Conversation, "test_deepseek_deferred_capability"):
			if b.Verdict != "tools_changed" || *b.TokensLost != 512 || len(b.ToolChanges) != 2 {
				t.Errorf("%+v", b)
			}
		case b.Verdict != "model_changed" || *b.TokensLost != 0:
			t.Errorf("%+v", b)
		}
	}
}

func TestTheSharedExchangesAreCompared(t *testing.T) {
	raw, err := os.ReadFile(eventstest.SharedFile(t, "llm-exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	dir, counts := t.TempDir(), map[string]int{}
	for line := range bytes.Lines(raw) {
		var c struct {
			Conversation string
			Exchanges    []struct{ Request json.RawMessage }
		}
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatal(err)
		}
		for i := range c.Exchanges {
			name := filepath.Join(dir, fmt.Sprintf("%d.json", i))
			if err := os.WriteFile(name, c.Exchanges[i].Request, 0o600); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				continue
			}
			status, out, errs := run(t, "prefix", "diff", "--json", filepath.Join(dir, fmt.Sprintf("%d.json", i-1)), name)
			var d struct{ Verdict string }
			if err := json.Unmarshal([]byte(out), &d); err != nil || status != 0 {
				t.Fatalf("%s: status %d: %v %s", c.Conversation, status, err, errs)
			}
			counts[d.Verdict]++
			if strings.Contains(c.Conversation, "test_deepseek_deferred_capability") && i == 1 && d.Verdict != "tools_changed" {
				t.Errorf("%s: %s", c.Conversation, d.Verdict)
			}
		}
	}
	if counts["ok"] < 30 || counts["model_changed"] == 0 {
		t.Errorf("verdicts %v", counts)
	}
	t.Logf("verdicts %v", counts)
}

func TestTwoLargeBodiesAreCompared(t *testing.T) {
	dir := t.TempDir()
	body := func(name, last string) string {
		var b strings.Builder
		b.WriteString(`{"model":"claude-sonnet-4-5","messages":[`)
		for i := range 2000 {
			fmt.Fprintf(&b, `{"role":"user","content":"%d %s"},`, i, strings.Repeat("x", 1000))
		}
		fmt.Fprintf(&b, `{"role":"user","content":%q}]}`, last)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b := body("a.json", "a"), body("b.json", "b")
	started := time.Now()
	status, out, errs := run(t, "prefix", "diff", a, b)
	if status != 0 || !strings.Contains(out, "message 2000") {
		t.Errorf("status %d: %s\n%s", status, errs, out)
	}
	t.Logf("two bodies of 2 MB in %s", time.Since(started))
}
