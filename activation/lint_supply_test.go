package activation_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
)

// needing is a tool that needs an id, where one is given.
func needing(name, id string) activation.Tool {
	schema := `{"type":"object"}`
	if id != "" {
		schema = `{"type":"object","properties":{"` + id + `":{"type":"string"}},"required":["` + id + `"]}`
	}
	return activation.Tool{Name: name, Definition: jsontext.Value(`{"name":"` + name + `","description":"A tool.","inputSchema":` + schema + `}`)}
}

func TestASupplierIsOneOfTheThingItselfAndOfItsKind(t *testing.T) {
	tools := []activation.Tool{
		needing("list_issues", ""), needing("list_issue_types", ""), needing("search_issues", ""), needing("get_issue", "issue_number"),
		needing("update_issue_type", "issue_number"), needing("list_dependabot_alerts", ""), needing("list_code_scanning_alerts", ""),
		needing("get_dependabot_alert", "alertNumber"), needing("list_pull_requests", ""), needing("merge_pull_request", "pullNumber"),
	}
	want := map[string][]string{
		"get_issue": {"list_issues", "search_issues"}, "update_issue_type": {"list_issues", "search_issues"},
		"get_dependabot_alert": {"list_dependabot_alerts"}, "merge_pull_request": {"list_pull_requests"},
	}
	r := activation.Lint(tools, activation.DefaultLintOptions())
	for _, n := range r.Needs {
		var have []string
		for _, s := range n.Suppliers {
			have = append(have, s.Tool)
		}
		if !slices.Equal(have, want[n.Tool]) {
			t.Errorf("%s: %q, want %q", n.Tool, have, want[n.Tool])
		}
	}
	if len(r.Needs) != len(want) {
		t.Errorf("%d needs", len(r.Needs))
	}
}

func TestALintSaysTheSameOfAFileHoweverItIsLaidOut(t *testing.T) {
	plain := needing("get_order", "order_id")
	wide := plain
	wide.Definition = plain.Definition.Clone()
	if err := wide.Definition.Indent(); err != nil {
		t.Fatal(err)
	}
	a := activation.Lint([]activation.Tool{plain}, activation.DefaultLintOptions())
	b := activation.Lint([]activation.Tool{wide}, activation.DefaultLintOptions())
	if a.Size.DefinitionTokens != b.Size.DefinitionTokens {
		t.Errorf("%d and %d tokens", a.Size.DefinitionTokens, b.Size.DefinitionTokens)
	}
}

func TestNoNameStandsTwiceInAFinding(t *testing.T) {
	one, two := needing("get_order", "order_id"), needing("get_order", "order_id")
	one.Server, two.Server = "shop", "crm"
	for _, f := range activation.Lint([]activation.Tool{one, two, needing("a/x", "")}, activation.DefaultLintOptions()).Findings {
		if len(slices.Compact(slices.Sorted(slices.Values(f.Tools)))) != len(f.Tools) && f.Rule == activation.LintNeedsOther {
			t.Errorf("%s: %q", f.Rule, f.Tools)
		}
		if f.Rule == activation.LintUnfit && !strings.Contains(f.Text, "such as to a_x") {
			t.Errorf("%s", f.Text)
		}
	}
}
