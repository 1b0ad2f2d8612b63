package activation_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// megabyteNames are as long as a call's arguments may be, and as hard to compare as can be thought of.
func megabyteNames() map[string]string {
	const mega = 1 << 20
	return map[string]string{
		"one letter":        strings.Repeat("x", mega),
		"separators":        strings.Repeat("_", mega),
		"servers":           strings.Repeat("a__", mega/3),
		"prefixes":          "mcp__" + strings.Repeat("web_", mega/4) + "search",
		"dots":              strings.Repeat("a.b:c/", mega/6),
		"two bytes":         strings.Repeat("é", mega/2),
		"combining marks":   "z" + strings.Repeat("\u0301", mega/2),
		"no UTF-8":          strings.Repeat("\xff", mega),
		"control bytes":     strings.Repeat("\x1b[31m", mega/5),
		"other case's size": strings.Repeat("İ", mega/2),
	}
}

// maxPerName is how many bytes all that is done about one name of a megabyte may allocate. A name is quoted, digested and searched a few times; what
// compared it with each tool, or took all its parts for names, would be far over it.
const maxPerName = 64 << 20

// deadline is for work that takes a hundred milliseconds: what looks a megabyte up at each of its places takes minutes.
const deadline = 2 * time.Minute

// allocates returns how many bytes a function allocates, and fails where it does not come to an end.
func allocates(t *testing.T, f func()) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(deadline):
		t.Fatalf("not done in %s", deadline)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// manyTools is a roster of a thousand tools on fifty servers.
func manyTools() activation.RosterInput {
	in := activation.RosterInput{NotConnected: []string{"away"}, Renames: map[string]string{"old": "tool_1"}}
	for i := range 1000 {
		in.Tools = append(in.Tools, activation.Tool{Name: fmt.Sprintf("tool_%d", i), Server: fmt.Sprintf("a%d", i%50), Deferred: true})
	}
	return in
}

func TestAMegabyteNameInACallCostsLittle(t *testing.T) {
	r := activation.NewRoster(manyTools())
	for what, name := range megabyteNames() {
		t.Run(what, func(t *testing.T) {
			s := activation.NewState(r)
			s.SetRoster(activation.NewRoster(activation.RosterInput{Tools: r.Tools()[:500]}))
			l, err := activation.NewLoader(s, activation.Checks{})
			if err != nil {
				t.Fatal(err)
			}
			args, err := json.Marshal(map[string]string{"name": strings.ToValidUTF8(name, "?")})
			if err != nil {
				t.Fatal(err)
			}
			texts := 0
			used := allocates(t, func() {
				if got := s.Resolve(name); got.Resolution != events.ResolvedUnknown {
					t.Errorf("resolved %.200v", got)
				}
				texts += len(s.Refuse(name, nil).Error()) + len(s.Refuse("call_tool", args).Error())
				loaded := l.Load(name)
				a := loaded.Event(events.Context{})
				texts += len(loaded.Text()) + len(a.Asked[0]) + len(a.Refused[0].Name)
				if _, ok := r.Mention(name, 0); ok {
					t.Error("it is a server")
				}
			})
			if used > poolsForget*maxPerName || texts > 4000 {
				t.Errorf("%d bytes allocated, texts of %d bytes", used, texts)
			}
		})
	}
}

func TestAMegabyteNameInARosterCostsLittle(t *testing.T) {
	for what, name := range megabyteNames() {
		t.Run(what, func(t *testing.T) {
			quoted, err := json.Marshal(strings.ToValidUTF8(name, "?"))
			if err != nil {
				t.Fatal(err)
			}
			in := manyTools()
			in.Tools = append(in.Tools, activation.Tool{
				Name: name, Server: name, Deferred: true, Definition: fmt.Appendf(nil, `{"name":%s,"description":%s,"inputSchema":{"type":"object"}}`, quoted, quoted),
			})
			text := 0
			used := allocates(t, func() {
				r := activation.NewRoster(in)
				text = len(r.Text(activation.TextOptions{}))
				for _, call := range []string{"tool_7", "tool-7", "Tool7", name, name + "x"} {
					activation.NewState(r).Resolve(call)
				}
			})
			if used > 2*poolsForget*maxPerName || text > 200_000 {
				t.Errorf("%d bytes allocated, a text of %d bytes", used, text)
			}
		})
	}
}

func TestManyMegabyteNamesInALintedListCostLittle(t *testing.T) {
	var tools []activation.Tool
	for i := range 50 {
		name := fmt.Sprintf("%s%d", strings.Repeat("web_", 1<<18), i)
		tools = append(tools, activation.Tool{Name: name, Server: "s", Definition: fmt.Appendf(nil, `{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`,
			name, strings.Repeat("only word ", 1<<20/10))})
	}
	var report activation.LintReport
	used := allocates(t, func() { report = activation.Lint(tools, activation.LintOptions{}) })
	if used > 4*poolsForget*maxPerName || report.Count(activation.LintWarning) < 2*len(tools) {
		t.Errorf("%d bytes allocated, %d warnings", used, report.Count(activation.LintWarning))
	}
	for _, f := range report.Findings {
		if f.Rule == activation.LintCut && !strings.HasPrefix(f.Text, "cut from more than 65536 characters to the limit of 300") {
			t.Fatalf("have %s", f.Text)
		}
	}
}

func TestAMegabyteNameInALintedListCostsLittle(t *testing.T) {
	for what, name := range megabyteNames() {
		t.Run(what, func(t *testing.T) {
			quoted, err := json.Marshal(strings.ToValidUTF8(name, "?"))
			if err != nil {
				t.Fatal(err)
			}
			tools := []activation.Tool{{
				Name: name, Server: name, Definition: fmt.Appendf(nil, `{"name":%s,"description":"x","inputSchema":{"type":"object","properties":{%s:{}},"required":[%s]}}`, quoted, quoted, quoted),
			}}
			for i := range 50 {
				tools = append(tools, activation.Tool{Name: fmt.Sprint("get_", i), Definition: fmt.Appendf(nil, `{"name":"get_%d","description":"Gets %d.","inputSchema":{"type":"object","required":["x_id"],"properties":{"x_id":{"type":"string"}}}}`, i, i)})
			}
			used := allocates(t, func() { activation.Lint(tools, activation.LintOptions{}) })
			if used > 4*poolsForget*maxPerName {
				t.Errorf("%d bytes allocated", used)
			}
		})
	}
}
