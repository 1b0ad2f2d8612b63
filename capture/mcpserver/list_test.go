package mcpserver_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/tooltrail/tooltrail/capture/mcpserver"
)

func TestToolsOfAProgramAreListed(t *testing.T) {
	defer goleak.VerifyNone(t)
	l, err := mcpserver.List(t.Context(), config(t, "plain"))
	if err != nil {
		t.Fatal(err)
	}
	sameNames(t, l, serverTools...)
	if l.Server != "shop" || l.Release != "1.2.0" || l.Transport != "stdio" || l.Protocol == "" || l.Pages != 1 || len(l.Problems) != 0 {
		t.Errorf("have %+v", l)
	}
}

func TestAllPagesAreTaken(t *testing.T) {
	l, err := mcpserver.List(t.Context(), config(t, "paged"))
	if err != nil {
		t.Fatal(err)
	}
	sameNames(t, l, serverTools...)
	if l.Pages != 3 {
		t.Errorf("%d pages, want 3", l.Pages)
	}
}

func TestDefinitionsAreInTheBytesThatTheServerSent(t *testing.T) {
	l, err := mcpserver.List(t.Context(), config(t, "odd"))
	if err != nil {
		t.Fatal(err)
	}
	sameNames(t, l, "odd/name")
	if got := string(l.Tools[0].Definition); got != oddDefinition {
		t.Errorf("have\n%s\nwant\n%s", got, oddDefinition)
	}
	sum := sha256.Sum256([]byte(oddDefinition))
	if want := hex.EncodeToString(sum[:]); l.Tools[0].Digests.Wire != want {
		t.Errorf("wire digest %s, want %s", l.Tools[0].Digests.Wire, want)
	}
}

func TestLinesThatAreNoMessagesAreLeftOutAndTold(t *testing.T) {
	l, err := mcpserver.List(t.Context(), config(t, "noisy"))
	if err != nil {
		t.Fatal(err)
	}
	sameNames(t, l, serverTools...)
	if len(l.Problems) != 1 || !strings.Contains(l.Problems[0].Error(), "have fun") {
		t.Errorf("problems %v", l.Problems)
	}
}

func TestOneBadToolDoesNotHideTheOthers(t *testing.T) {
	l, err := mcpserver.List(t.Context(), config(t, "mixed"))
	if err != nil {
		t.Fatal(err)
	}
	sameNames(t, l, "first", "bare", "strange", "text", "outside", "last")
	var usable []string
	for _, d := range l.ToolDefinitions() {
		usable = append(usable, d.ToolName)
	}
	if !slices.Equal(usable, []string{"first", "last"}) {
		t.Errorf("usable %v", usable)
	}
	var problems []string
	for i := range l.Problems {
		problems = append(problems, l.Problems[i].Error())
	}
	want := []string{
		"page 1, tool 2 (bare): no inputSchema, or one that is no object",
		"page 1, tool 3 (strange): compile schema: /type: not a JSON Schema: anyOf",
		"page 1, tool 4 (text): no inputSchema, or one that is no object",
		"page 1, tool 5: not a tool: /name: missing",
		"page 1, tool 6: not a tool: /name: wrong type, have number",
		"page 1, tool 7: not a tool: wrong type, have string",
		"page 1, tool 8 (first): a second tool of this name, left out",
		"page 1, tool 9: not a tool: not JSON: an object names a member twice",
		"page 1, tool 10 (outside): compile schema: a reference leaves the schema",
	}
	if !slices.Equal(problems, want) {
		t.Errorf("problems\n%s\nwant\n%s", strings.Join(problems, "\n"), strings.Join(want, "\n"))
	}
}

func TestAServerThatKnowsOnlyTheNewestProtocolIsRead(t *testing.T) {
	l, err := mcpserver.List(t.Context(), config(t, "only new"))
	if err != nil {
		t.Fatal(err)
	}
	sameNames(t, l, "a")
	if l.Server != "new" || l.Release != "9" || l.Protocol != "2026-07-28" {
		t.Errorf("have %+v", l)
	}
}

func TestAServerNeedNotSayItsName(t *testing.T) {
	l, err := mcpserver.List(t.Context(), config(t, "nameless"))
	if err != nil {
		t.Fatal(err)
	}
	if l.Server != "" || l.Release != "" || len(l.Tools) != 0 {
		t.Errorf("have %+v", l)
	}
}

func TestWhatAServerDoesWrongIsSaidWithItsPlace(t *testing.T) {
	defer goleak.VerifyNone(t)
	for kind, want := range map[string][]string{
		"exits":             {"begin session", "the server ended with exit status 7", "its last words: cannot open the database: no such file"},
		"silent":            {"no answer in time: 5s", "begin session"},
		"garbage":           {"begin session", "read line 1 of standard output", "no JSON-RPC message"},
		"html":              {"no answer in time", "standard output had 3 lines that are no messages, the first: \"<html>\""},
		"refuses":           {"begin session", "no licence"},
		"dies in the list":  {"list tools, page 1", "the server ended with exit status 2", "out of tools"},
		"hangs in the list": {"no answer in time", "list tools, page 1"},
		"no result":         {"list tools, page 1", "the result has no list of tools"},
		"no object":         {"list tools, page 1", "the result is not an object"},
		"no list":           {"list tools, page 1", "the result has no list of tools"},
		"bad cursor":        {"list tools, page 1", "the cursor of the next page is no string"},
		"loops":             {"list tools, page 2", "its cursor leads back"},
		"endless":           {"list tools, page 21", "more than 20 pages"},
		"many":              {"list tools, page 6", "more than 500 tools"},
		"large":             {"a line of standard output: longer than an answer may be"},
		"long line":         {"a line of standard output: longer than an answer may be"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			cfg := config(t, kind)
			cfg.MaxPages, cfg.MaxTools, cfg.MaxAnswer = 20, 500, 1<<20
			if slices.Contains([]string{"silent", "html", "hangs in the list"}, kind) {
				cfg.Timeout = 5 * time.Second // for the server to get as far as it goes
			}
			l, err := mcpserver.List(t.Context(), cfg)
			if err == nil || l != nil {
				t.Fatalf("have %+v, %v", l, err)
			}
			for _, w := range append(want, "read tools of ") {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
		})
	}
}

func TestPagesTogetherAreBounded(t *testing.T) {
	cfg := config(t, "many")
	cfg.MaxBytes = 20_000
	if _, err := mcpserver.List(t.Context(), cfg); !errors.Is(err, mcpserver.ErrServer) || !strings.Contains(err.Error(), "more than 20000 bytes") {
		t.Errorf("have %v", err)
	}
}

func TestAServerThatDoesNotEndIsKilledWithItsChildren(t *testing.T) {
	for _, kind := range []string{"stubborn", "spawns"} {
		t.Run(kind, func(t *testing.T) {
			cfg := config(t, kind)
			file := filepath.Join(t.TempDir(), "pid")
			cfg.Env = append(cfg.Env, "PID_FILE="+file, "PATH="+os.Getenv("PATH"))
			cfg.Grace = 100 * time.Millisecond
			if _, err := mcpserver.List(t.Context(), cfg); err != nil {
				t.Fatal(err)
			}
			if kind == "spawns" {
				awaitGone(t, file)
			}
		})
	}
}

func TestAServerIsKilledWhenNobodyWaitsForItAnyMore(t *testing.T) {
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(10*pause, cancel)
	_, err := mcpserver.List(ctx, config(t, "silent"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
}

// awaitGone waits for the process whose number is in a file to be gone.
func awaitGone(t *testing.T, file string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(pause) {
		if isGone(pid) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// isGone reports that a process has ended; one that its new parent has not yet waited for has.
func isGone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

func TestAProgramThatIsNotThereIsSaid(t *testing.T) {
	cfg := mcpserver.DefaultConfig()
	cfg.Command = []string{"/nowhere/server", "--token", "secret"}
	_, err := mcpserver.List(t.Context(), cfg)
	if !errors.Is(err, os.ErrNotExist) || strings.Contains(err.Error(), "secret") {
		t.Errorf("have %v", err)
	}
}

func TestTheEnvironmentOfAProgramIsWhatWasGiven(t *testing.T) {
	ours := map[string]string{"HOME": "/h", "PATH": "/bin", "TOOLTRAIL_NATS_PASSWORD": "secret", "TOKEN": "t"}
	getenv := func(name string) string { return ours[name] }
	env, err := mcpserver.Environment(getenv, []string{"TOKEN", "MODE=a=b", "EMPTY="})
	if err != nil || !slices.Equal(env, []string{"HOME=/h", "PATH=/bin", "TOKEN=t", "MODE=a=b", "EMPTY="}) {
		t.Errorf("have %q, %v", env, err)
	}
	for _, bad := range []string{"", "=x", "MISSING"} {
		if env, err := mcpserver.Environment(getenv, []string{bad}); err == nil {
			t.Errorf("%q gives %q", bad, env)
		}
	}
}

func TestACommandIsSplitAsAShellWould(t *testing.T) {
	for line, want := range map[string][]string{
		"npx -y server":              {"npx", "-y", "server"},
		"  a\tb\n":                   {"a", "b"},
		`'a b' "c d" e\ f`:           {"a b", "c d", "e f"},
		`"a \"b\" \n" 'c\d' ""`:      {`a "b" \n`, `c\d`, ""},
		`a'b'"c"`:                    {"abc"},
		`$HOME "$(ls)" ; | * {a,b}é`: {"$HOME", "$(ls)", ";", "|", "*", "{a,b}é"},
		"":                           nil,
	} {
		if got, err := mcpserver.SplitCommand(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`"a`, `'a`, `a\`} {
		if got, err := mcpserver.SplitCommand(line); err == nil {
			t.Errorf("%s: %q", line, got)
		}
	}
}

func FuzzQuotedWordsAreKept(f *testing.F) {
	f.Add("a b", "c'd")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a + b) {
			t.Skip()
		}
		quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
		if got, err := mcpserver.SplitCommand(quote(a) + " " + quote(b)); err != nil || !slices.Equal(got, []string{a, b}) {
			t.Errorf("%q %q: %q, %v", a, b, got, err)
		}
	})
}
