package panels_test

import (
	"os"
	"slices"
	"testing"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/panels"
)

// withoutRunbook are the rules of findings that wake nobody: docs/activation.md says what each means and what to do.
var withoutRunbook = []string{
	"activation_failed", "activation_refused", "activation_round_trips", "called_after_removal", "name_collision", "never_called", "not_connected",
	"not_permitted", "permission_matches_nothing", "renamed", "repeated_activation",
}

func TestEachRuleHasARunbookThatIsThere(t *testing.T) {
	for _, rule := range report.Rules() {
		name := panels.Runbook(rule, "critical")
		if none := slices.Contains(withoutRunbook, rule); none != (name == "") {
			t.Errorf("%s has the runbook %q; listed as one without: %t", rule, name, none)
		}
		if name == "" {
			continue
		}
		if _, err := os.Stat("../docs/alerts/" + name + ".md"); err != nil {
			t.Error(err)
		}
	}
	if panels.Runbook("drift_ratio", "warning") != "DriftOver5" || panels.Runbook("no_such_rule", "critical") != "" {
		t.Error("a ratio's runbook is that of its severity, and what is no rule has none")
	}
}
