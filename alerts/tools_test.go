package alerts_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/alerts"
)

// program returns the path of a program of another project. Where it is missing the test skips, and fails where the tests must have it.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("TOOLTRAIL_REQUIRE_TOOLS") == "1" {
		t.Fatalf("%s is missing; run make tools", name)
	}
	t.Skipf("%s is missing; run make tools", name)
	return ""
}

// run runs a program and fails with what it said.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program(t, name), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestPrometheusTakesTheRules(t *testing.T) {
	run(t, "promtool", "check", "rules", "--lint=all", "--lint-fatal", "rendered/rules.yml")
}

func TestAlertsFireAndStaySilentAsTheirTestsSay(t *testing.T) {
	files, err := filepath.Glob("tests/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	run(t, "promtool", append([]string{"test", "rules"}, files...)...)
}

func TestAlertmanagerTakesTheRouting(t *testing.T) {
	run(t, "amtool", "check-config", "rendered/alertmanager.yml")
	for _, s := range []alerts.Severity{alerts.Page, alerts.Ticket, alerts.Info} {
		out := strings.TrimSpace(run(t, "amtool", "config", "routes", "test", "--config.file=rendered/alertmanager.yml", "severity="+string(s), "alertname=X"))
		got := out[strings.LastIndexByte(out, '\n')+1:]
		if got != string(s) {
			t.Errorf("an alert of severity %s goes to %q", s, got)
		}
	}
}

// TestEveryAlertHasATestThatItFiresAndOneThatItDoesNot reads the tests of promtool: each alert has a file of its own.
func TestEveryAlertHasATestThatItFiresAndOneThatItDoesNot(t *testing.T) {
	expected := regexp.MustCompile(`(?s)alertname: (\w+)\n\s+eval_time: \w+\n\s+exp_alerts:( \[\])?`)
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		data, err := os.ReadFile(filepath.Join("tests", a.Name+".yml"))
		if err != nil {
			t.Errorf("%s has no tests: %v", a.Name, err)
			continue
		}
		fires, silent := 0, 0
		for _, m := range expected.FindAllStringSubmatch(string(data), -1) {
			switch {
			case m[1] != a.Name:
				t.Errorf("tests/%s.yml tests %s", a.Name, m[1])
			case m[2] != "":
				silent++
			default:
				fires++
			}
		}
		if fires == 0 || silent == 0 {
			t.Errorf("%s: %d tests that it fires, %d that it stays silent; want both", a.Name, fires, silent)
		}
	}
}
