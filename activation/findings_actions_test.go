package activation

import (
	"testing"

	"github.com/tooltrail/tooltrail/finding"
)

func TestAnActionNamesTheAgentsOfItsFinding(t *testing.T) {
	r := &Rule{}
	for _, name := range []string{"desk", "mail", "bot"} { // by how often they broke the rule
		r.Agents = append(r.Agents, Part{Name: name})
	}
	a := analysis{callers: map[caller]map[string]bool{}}
	a.calledBy(RuleLoop, "shop", "order", "bot")
	a.calledBy(RuleLoop, "shop", "refund", "bot", "mail")
	for _, c := range []struct {
		of   finding.Subject
		want string
	}{
		{finding.Subject{}, "desk and 2 more agents"},
		{finding.Subject{Server: "shop", Tool: "order"}, "bot"},
		{finding.Subject{Server: "shop", Tool: "refund"}, "mail and 1 more agent"},
		{finding.Subject{Server: "shop", Tool: "unheard of"}, "its agents"},
		{finding.Subject{Agent: "mail"}, "mail"},
	} {
		if got := a.agentsOf(r, RuleLoop, c.of); got != c.want {
			t.Errorf("%+v: %q, want %q", c.of, got, c.want)
		}
	}
	if got := a.agentsOf(&Rule{}, RuleLoop, finding.Subject{Tool: "order"}); got != "the agent" {
		t.Errorf("nobody: %q", got)
	}
}
