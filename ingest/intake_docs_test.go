package ingest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/ingest"
)

// documented are the commands of intake.md that post something, each with the body that it posts and the answer that follows.
func documented(t *testing.T) (all []struct{ command, body, answer string }) {
	t.Helper()
	b, err := os.ReadFile("../docs/intake.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sh\n([^`]*<<'EOF'\n(.*?\n)EOF\n[^`]*)```\n\n```json\n(.*?)```")
	for _, m := range block.FindAllStringSubmatch(string(b), -1) {
		all = append(all, struct{ command, body, answer string }{m[1], m[2], m[3]})
	}
	if len(all) != 2 {
		t.Fatalf("intake.md has %d commands with an answer, want one that is accepted and one that is refused", len(all))
	}
	return all
}

func TestTheDocumentedBodiesGetTheDocumentedAnswers(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	url := startIntake(t, js)
	for _, c := range documented(t) {
		_, have := post(t, url, []byte(c.body))
		wantAnswer(t, []byte(c.answer), have)
	}
}

// The same by the very command, where there is a curl: only the address is another.
func TestTheDocumentedCommandsGetTheDocumentedAnswers(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(err)
	}
	js := startBroker(t).connect()
	makeStreams(t, js)
	url := startIntake(t, js, func(c *ingest.IntakeConfig) { c.Token = "s3cret" })
	for _, c := range documented(t) {
		command := strings.ReplaceAll(c.command, "http://127.0.0.1:8090/v1/events", url)
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir = t.TempDir()
		cmd.Env = append(os.Environ(), "TOOLTRAIL_INTAKE_TOKEN=s3cret")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var have ingest.IntakeAnswer
		if err := json.Unmarshal(out, &have); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		wantAnswer(t, []byte(c.answer), have)
	}
}

func wantAnswer(t *testing.T, documented []byte, have ingest.IntakeAnswer) {
	t.Helper()
	var want ingest.IntakeAnswer
	if err := json.Unmarshal(documented, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-documented +answered):\n%s", diff)
	}
}
