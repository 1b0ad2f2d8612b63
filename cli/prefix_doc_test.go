package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// example matches a command in docs/prefix.md and what it prints.
var example = regexp.MustCompile("(?s)```console\n\\$ bin/tooltrail ([^\n]*)\n(.*?)```")

func TestTheExamplesOfThePrefixPageAreReal(t *testing.T) {
	t.Chdir("..")
	const page = "docs/prefix.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	examples := 0
	got := example.ReplaceAllStringFunc(string(text), func(block string) string {
		examples++
		command := example.FindStringSubmatch(block)[1]
		status, out, errs := run(t, strings.Fields(command)...)
		if errs != "" || status != 0 && status != 3 {
			t.Errorf("%s: status %d: %s", command, status, errs)
		}
		return "```console\n$ bin/tooltrail " + command + "\n" + out + "```"
	})
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), got); diff != "" || examples < 4 {
		t.Errorf("%d examples in %s; -update rewrites them (-want +got):\n%s", examples, page, diff)
	}
}

// blockOf matches the blocks of a language in a page.
func blockOf(language string) *regexp.Regexp {
	return regexp.MustCompile("(?s)```" + language + "\n(.*?)```")
}

func TestTheRequestsOfThePagesAreRead(t *testing.T) {
	read := 0
	for _, page := range []string{"../docs/recording.md", "../docs/intake.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blockOf("json").FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(block[1], "claude-sonnet-4-5") {
				continue // an answer of the intake
			}
			file := filepath.Join(t.TempDir(), "run.jsonl")
			if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			status, out, errs := run(t, "prefix", "explain", "--file", file)
			if status != 0 || errs != "" || !strings.Contains(out, "12.7 k  12.3 k      410") {
				t.Errorf("%s: status %d: %s%s", page, status, out, errs)
			}
			read++
		}
	}
	if read != 2 {
		t.Errorf("%d requests in the pages, want 2", read)
	}
}

func TestTheProgramThatRecordsRequestsCompiles(t *testing.T) {
	text, err := os.ReadFile("../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	block := blockOf("go").FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("the page has no program")
	}
	dir, err := os.MkdirTemp(".", "recording-") // inside the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(block[1]), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "go", "vet", "./"+dir).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
