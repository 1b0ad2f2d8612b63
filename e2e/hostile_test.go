package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
)

// hostileNames are names that no tool should have and some model will call. All are different, also once they are stored as UTF-8.
var hostileNames = []string{
	"", " ", "\x00", "\xff", "\xfe\xff\xfdx", "nul\x00inside", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;http://evil.example\x1b\\link", "\u009b2J",
	"two\nlines", "carriage\rreturn", "tab\tbed", "back\b\b\bspace", "\u202egnp.exe", "zero\u200bwidth", "\ufeffmark", "no\u00a0break", "line\u2028separator",
	"w\u0435b_search", "web\uff3fsearch", "z" + strings.Repeat("\u0301", 200), "tag\U000e0041", "<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`,
	"'; DROP TABLE tool_calls; --", "%s%n%d", "../../etc/passwd", `\u001b[31m`, strings.Repeat("long_name_", 6400),
}

// TestHostileNamesGoThroughTheWholePathAndPrintNothingOfTheirs calls tools by hostile names, asks for them, and has tools of such names, and looks
// whether all are counted and none moves the cursor of who reads the report.
func TestHostileNamesGoThroughTheWholePathAndPrintNothingOfTheirs(t *testing.T) {
	s := newSite(t, 1)
	c := s.orderClient()
	guessing := newChat(t, c, events.Context{AgentName: "\x1b[2Jagent", RequestModel: "model\x07", ConversationID: "conversation\r\x1b[A"}, activation.RosterInput{
		Tools: []activation.Tool{{Name: "web_search"}, {Name: "later", Server: "\x1b[5mserver", Deferred: true}},
	})
	var in activation.RosterInput
	for _, name := range hostileNames[1:] { // a tool has a name
		in.Tools = append(in.Tools, activation.Tool{Name: name, Server: "\u202eserver", Deferred: true})
	}
	having := newChat(t, c, events.Context{ConversationID: "has tools of such names"}, in)
	printable(t, having.text)
	for _, name := range hostileNames {
		if guessing.call(name, fmt.Sprintf("{%q:1}", name)) == "" {
			t.Errorf("%.40q runs", name)
		}
		refused := guessing.load(name)
		printable(t, refused.Text())
		if name == "" {
			continue
		}
		if loaded := having.load(name); len(loaded.Names) != 1 || having.call(name, "{}") != "" {
			t.Errorf("%.40q is in the roster, and is not loaded or does not run", name)
		}
	}
	if err := c.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	db := s.openStore(t.Context())
	n := uint64(len(hostileNames))
	s.stored(db, n+n-1)
	s.activations(db, n+n-1)

	r := analyze(t, db)
	if st := c.Stats(); len(st.Dropped) > 0 {
		t.Errorf("dropped %v", st.Dropped)
	}
	if r.DeadLetters != 0 || r.Activation.Calls != n+n-1 || r.Activation.Judged != n+n-1 {
		t.Errorf("%d dead letters, %d calls, %d looked up; want 0, %d, %d", r.DeadLetters, r.Activation.Calls, r.Activation.Judged, n+n-1, n+n-1)
	}
	rules := r.Activation.Rules
	called := len(rules["guessed"].Names) + len(rules["unknown"].Names)
	if counted := rules["guessed"].Count + rules["unknown"].Count; counted != n || called != len(hostileNames) || rules[activation.RuleRefused].Count != n {
		t.Errorf("%d calls of %d names and %d refusals counted, want %d of each", counted, called, rules[activation.RuleRefused].Count, n)
	}
	if loads := r.Activation.Loads; len(loads) != len(hostileNames)-1 || rules[activation.RuleNeverCalled].Count != 0 {
		t.Errorf("%d tools loaded, %d loads without a call: %.400q", len(loads), rules[activation.RuleNeverCalled].Count, fmt.Sprint(loads))
	}
	for _, style := range []report.Style{{}, {All: true}, {Width: 80}, {Width: 30, All: true}} {
		printable(t, printed(t, &r, style))
	}
	for _, f := range r.Findings {
		printable(t, f.Title+f.Action)
	}
	safeJSON(t, &r)
	findingsKeep(t, db, r.Findings)
}

// printable fails where a text has a character that could move the cursor, change the reading order or hide.
func printable(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("not UTF-8: %.200q", text)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if at := strings.IndexFunc(line, func(c rune) bool { return !unicode.IsPrint(c) }); at >= 0 {
			t.Errorf("a line has what can't be printed at %d: %.300q", at, line)
		}
	}
}

// safeJSON fails where the report's JSON, as the command prints it, can't be read back or has what a terminal takes for a command.
func safeJSON(t *testing.T, r *analyzer.Report) {
	t.Helper()
	var out bytes.Buffer
	w := report.NewSafeJSON(&out)
	if err := errors.Join(json.NewEncoder(w).Encode(r), w.Close()); err != nil {
		t.Fatalf("encode report: %v", err)
	}
	printable(t, out.String())
	var again analyzer.Report
	if err := json.Unmarshal(out.Bytes(), &again); err != nil {
		t.Fatalf("read report: %v", err)
	}
	if diff := gocmp.Diff(brokenRules(&r.Activation), brokenRules(&again.Activation)); diff != "" {
		t.Errorf("other values in JSON:\n%s", diff)
	}
}

// findingsKeep stores the findings, as an analyzer that keeps them does, and reads them back.
func findingsKeep(t *testing.T, db *store.DB, all []finding.Finding) {
	t.Helper()
	if err := db.SaveFindings(t.Context(), all); err != nil {
		t.Fatalf("save findings: %v", err)
	}
	kept, err := db.Findings(t.Context(), store.FindingFilter{})
	if err != nil || len(kept) != len(all) {
		t.Errorf("%d findings kept of %d: %v", len(kept), len(all), err)
	}
}
