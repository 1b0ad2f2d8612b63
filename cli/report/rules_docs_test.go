package report

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// activationRules are the rules of package activation, those on names among them.
func activationRules(t *testing.T) []string {
	t.Helper()
	all := slices.Collect(maps.Keys(ruleWords))
	for name, value := range stringConstants(t, filepath.Join("..", "..", "activation")) {
		if ruleName.MatchString(name) && !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	return all
}

func TestEveryRuleOfActivationHasItsSectionInThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "activation.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, part := range strings.Split(string(page), "\n#") {
		if title, text, _ := strings.Cut(part, "\n"); strings.HasPrefix(title, "## ") {
			sections[strings.TrimPrefix(title, "## ")] = text
		}
	}
	rules := activationRules(t)
	for _, rule := range rules {
		if !slices.Contains(Rules(), rule) {
			t.Errorf("%s is in no list of rules", rule)
		}
		for _, part := range []string{"**What counts.** ", "**Why.** ", "**What to do.** ", "**False alarms.** "} {
			if !strings.Contains(sections[rule], part) {
				t.Errorf("docs/activation.md does not say of %s: %s", rule, part)
			}
		}
	}
	for section := range sections {
		if !slices.Contains(rules, section) {
			t.Errorf("docs/activation.md has %s, which is no rule", section)
		}
	}
	if len(rules) < 19 {
		t.Errorf("only %d rules", len(rules))
	}
}
