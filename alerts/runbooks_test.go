package alerts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/alerts"
	"github.com/tooltrail/tooltrail/cli"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/panels"
)

const runbooks = "../docs/alerts"

var sections = []string{"## What it means", "## See it in", "## First steps", "## False alarms", "## When to silence"}

func TestEveryAlertHasARunbookThatSaysWhatToDo(t *testing.T) {
	known := map[string]bool{}
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		known[a.Name+".md"] = true
		text := readRunbook(t, a.Name)
		if !strings.HasPrefix(text, "# "+a.Name+"\n\nSeverity: "+string(a.Severity)+".\n") {
			t.Errorf("%s begins with another name or severity", a.Name)
		}
		at := 0
		for _, s := range sections {
			i := strings.Index(text[at:], s+"\n\n")
			if i < 0 {
				t.Errorf("%s has no section %q in its place", a.Name, s)
				continue
			}
			at += i + len(s)
			if strings.HasPrefix(strings.TrimSpace(text[at:]), "##") {
				t.Errorf("%s says nothing under %q", a.Name, s)
			}
		}
		steps := text[strings.Index(text, sections[2]):strings.Index(text, sections[3])]
		for _, n := range []string{"\n1. ", "\n2. ", "\n3. "} {
			if !strings.Contains(steps, n) {
				t.Errorf("%s has no step %q", a.Name, n)
			}
		}
		if len(commandsOf(steps)) < 3 {
			t.Errorf("%s: its steps have %d commands, want one each", a.Name, len(commandsOf(steps)))
		}
	}
	files, err := filepath.Glob(runbooks + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := filepath.Base(f); name != "README.md" && !known[name] {
			t.Errorf("%s is the runbook of no alert", f)
		}
	}
}

func TestPanelsSayWhichFindingsWakeSomebody(t *testing.T) {
	all := alerts.All(alerts.DefaultConfig())
	for _, rule := range report.Rules() {
		for _, grave := range []string{"critical", "warning", "info"} {
			name, want := panels.Runbook(rule, grave), ""
			for _, a := range all {
				if a.Name == name && slices.Contains(a.Rules, rule) {
					want = string(a.Severity)
				}
			}
			if got := panels.Urgency(rule, grave); got != want {
				t.Errorf("%s %s: %q, but the alerts that are on it say %q", grave, rule, got, want)
			}
		}
	}
}

func readRunbook(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(runbooks, name+".md"))
	if err != nil {
		t.Fatalf("read runbook: %v", err)
	}
	return string(b)
}

// commandsOf lists the lines of all blocks of shell commands.
func commandsOf(text string) (lines []string) {
	for i, part := range strings.Split(text, "```") {
		if i%2 == 0 {
			continue
		}
		for line := range strings.Lines(strings.TrimPrefix(part, "sh\n")) {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func TestTheCommandsOfRunbooksAndAlertsExist(t *testing.T) {
	help := map[string]string{}
	all := known()
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		text := readRunbook(t, a.Name)
		lines := commandsOf(text)
		for _, m := range inline.FindAllStringSubmatch(text, -1) {
			lines = append(lines, m[1])
		}
		lines = append(lines, mentioned.FindAllString(a.Next, -1)...)
		for _, line := range lines {
			if rest, ok := strings.CutPrefix(line, "tooltrail "); ok {
				checkCommand(t, help, a.Name, rest)
			}
			for _, name := range metricName.FindAllString(line, -1) {
				if _, ok := all[name]; !ok && !isPrefix(name) && name != "tooltrail_operator" { // a user of ClickHouse
					t.Errorf("%s: there is no metric %s", a.Name, name)
				}
			}
		}
	}
}

// inline are commands of this project in the text of a runbook.
var inline = regexp.MustCompile("`(tooltrail [^`]+)`")

// mentioned are commands within a sentence.
var mentioned = regexp.MustCompile(`tooltrail [a-z]+(?: [a-z]+\b)?(?: --[a-z]+ [a-z_]+)?`)

// isPrefix reports whether metrics begin with what a grep looks for.
func isPrefix(name string) bool {
	for _, c := range metrics.Components() {
		for _, d := range c.Metrics {
			if strings.HasPrefix(d.Name(), name) {
				return true
			}
		}
	}
	return false
}

var (
	word     = regexp.MustCompile(`^[a-z]+$`)
	flagName = regexp.MustCompile(`--[a-z-]+`)
)

// checkCommand asks the command for its help, and looks there for the flags that are used.
func checkCommand(t *testing.T, help map[string]string, alert, rest string) {
	t.Helper()
	var path []string
	for _, w := range strings.Fields(rest) {
		if !word.MatchString(w) || !isCommand(t, help, append(path, w)) {
			break
		}
		path = append(path, w)
	}
	if len(path) == 0 {
		t.Errorf("%s: tooltrail %s is no command", alert, rest)
		return
	}
	for _, f := range flagName.FindAllString(rest, -1) {
		if !strings.Contains(helpOf(t, help, path), f) {
			t.Errorf("%s: tooltrail %s has no flag %s", alert, strings.Join(path, " "), f)
		}
	}
	if first := strings.Fields(rest); len(first) > len(path) && word.MatchString(first[len(path)]) &&
		strings.Contains(helpOf(t, help, path), "Available Commands:") {
		t.Errorf("%s: tooltrail %s has no command %s", alert, strings.Join(path, " "), first[len(path)])
	}
}

func isCommand(t *testing.T, help map[string]string, path []string) bool {
	return strings.Contains(helpOf(t, help, path), "Usage:\n  tooltrail "+strings.Join(path, " "))
}

func helpOf(t *testing.T, help map[string]string, path []string) string {
	key := strings.Join(path, " ")
	if text, ok := help[key]; ok {
		return text
	}
	var out bytes.Buffer
	s := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &out, Getenv: func(string) string { return "" }}
	cli.Run(t.Context(), append(append([]string(nil), path...), "--help"), s, "test")
	help[key] = out.String()
	return help[key]
}
