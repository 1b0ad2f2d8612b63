package cli_test

import (
	"os"
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
