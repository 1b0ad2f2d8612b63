package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/embedded"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// TestTheReadmesGoProgramsPublish builds each Go program of the README as it stands there, and runs it against a NATS server, and
// against none.
func TestTheReadmesGoProgramsPublish(t *testing.T) {
	b, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(b), -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no Go code")
	}
	for _, block := range blocks {
		program := buildProgram(t, block[1])
		address, js := broker(t)
		if out, err := runProgram(t, program, address); err != nil || out != "" {
			t.Errorf("the README's program says %q, %v", out, err)
		}
		st, err := js.Stream(t.Context(), stream.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := st.GetLastMsgForSubject(t.Context(), events.Subject(0, events.KindToolCall)); err != nil {
			t.Errorf("its event is not in the stream: %v", err)
		}
		if out, _ := runProgram(t, program, "nats://127.0.0.1:1"); !strings.Contains(out, "close client: 1 event not acknowledged") {
			t.Errorf("without NATS the README's program says %q", out)
		}
	}
}

// buildProgram compiles a file and returns where the program is.
func buildProgram(t *testing.T, source string) string {
	t.Helper()
	dir, err := os.MkdirTemp(".", "readme-") // inside the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "program")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./"+dir).CombinedOutput(); err != nil {
		t.Fatalf("the README's code does not compile: %v\n%s", err, out)
	}
	return program
}

func runProgram(t *testing.T, program, address string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), "TOOLTRAIL_NATS="+address)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// broker starts a NATS server with Tooltrail's streams.
func broker(t *testing.T) (string, jetstream.JetStream) {
	t.Helper()
	settings := embedded.DefaultNATSConfig(t.TempDir())
	settings.Listen = "127.0.0.1:0"
	n, err := embedded.StartNATS(settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Shutdown(context.Background()) })
	cfg := stream.DefaultConfig()
	cfg.URL = n.URL()
	nc, err := stream.Connect(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.WaitConnected(t.Context(), nc); err != nil {
		t.Fatal(err)
	}
	if err := stream.Ensure(t.Context(), js, cfg); err != nil {
		t.Fatal(err)
	}
	return n.URL(), js
}

// TestMakeRunTakesFilesWithSpaces runs the Makefile's recipe on a program that only prints its arguments.
func TestMakeRunTakesFilesWithSpaces(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	makefile, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"Makefile":              string(makefile),
		"bin/tooltrail":         "#!/bin/sh\nshift\nfor a; do echo \"<$a>\"; done\n",
		"with space/a b.jsonl":  "",
		"with space/c.jsonl":    "",
		"[1] what's & so.jsonl": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o700); err != nil { //nolint:gosec // one of them is a program
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want []string }{
		{nil, []string{"bin/tooltrail analyze --html bin/page.html sample/sample.ndjson.gz", "<--html>", "<bin/page.html>", "<sample/sample.ndjson.gz>"}},
		{[]string{"INPUT=with space/a b.jsonl"}, []string{`bin/tooltrail analyze --html bin/page.html with\ space/a\ b.jsonl`, "<--html>", "<bin/page.html>", "<with space/a b.jsonl>"}},
		{[]string{"INPUT=with space/*.jsonl"}, []string{"<with space/a b.jsonl>", "<with space/c.jsonl>"}},
		{[]string{"INPUT=[1] what's & so.jsonl"}, []string{"<[1] what's & so.jsonl>"}},
		{[]string{"INPUT=not there.jsonl", "TOOLS=my tools.json"}, []string{"<--tools>", "<my tools.json>", "<--html>", "<bin/page.html>", "<not there.jsonl>"}},
		{[]string{"INPUT=~/a b.jsonl"}, []string{"<" + home + "/a b.jsonl>"}},
	} {
		cmd := exec.CommandContext(t.Context(), "make", append([]string{"-s", "-o", "build", "run"}, c.args...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+home, "MAKEFLAGS=", "MAKELEVEL=0")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v: %s", c.args, err, out)
		}
		if want := strings.Join(c.want, "\n") + "\n\n"; !strings.Contains(string(out), want) {
			t.Errorf("%v: have %s, want %s", c.args, out, want)
		}
	}
}

// TestLinksInDocumentsLeadSomewhere follows every relative link of the Markdown files.
func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	files, err := exec.Command("git", "-C", "..", "ls-files", "*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	for _, file := range strings.Fields(string(files)) {
		b, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s: the link %s leads nowhere", file, m[1])
			}
		}
	}
}
