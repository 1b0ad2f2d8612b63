package finding_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/finding"
)

func TestTheOwnerOfATool(t *testing.T) {
	o := finding.Owners{
		Tools: map[string]finding.Owner{
			"shop/*": {Team: "commerce"}, "shop/refund": {Owner: "lea", Team: "billing"}, "*/refund": {Owner: "nobody"}, "sh*": {Owner: "shy"}, "local": {Owner: "tim"},
		},
		Agents: map[string]finding.Owner{"desk": {Owner: "ana", Team: "support"}, "*": {Team: "platform"}},
	}
	seen := finding.Places{Agents: []string{"desk"}, Teams: []string{"events"}}
	for _, c := range []struct {
		name    string
		subject finding.Subject
		seen    finding.Places
		want    finding.Owner
	}{
		{"a whole name goes first", finding.Subject{Server: "shop", Tool: "refund"}, seen, finding.Owner{Owner: "lea", Team: "billing"}},
		{"a pattern, and the agent's owner where it names none", finding.Subject{Server: "shop", Tool: "order", Agent: "desk"}, seen, finding.Owner{Owner: "ana", Team: "commerce"}},
		{"all tools of a server", finding.Subject{Server: "shop"}, finding.Places{}, finding.Owner{Team: "commerce"}},
		{"a tool of no server", finding.Subject{Tool: "local"}, finding.Places{}, finding.Owner{Owner: "tim"}},
		{"an agent", finding.Subject{Agent: "mail"}, finding.Places{}, finding.Owner{Team: "platform"}},
		{"the only agent of its events", finding.Subject{Tool: "other"}, seen, finding.Owner{Owner: "ana", Team: "support"}},
		{"the only team of its events", finding.Subject{Tool: "other"}, finding.Places{Agents: []string{"a", "b"}, Teams: []string{"x"}}, finding.Owner{Team: "x"}},
		{"nobody", finding.Subject{Tool: "other"}, finding.Places{Teams: []string{"x", "y"}}, finding.Owner{}},
	} {
		f := finding.Finding{Subject: c.subject, Seen: c.seen}
		if diff := cmp.Diff(c.want, o.Of(&f)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestNamesOfOwnersMayHaveStars(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"a*c", "abc", true}, {"a*c", "ac", true}, {"a*c", "abd", false}, {"*", "", true}, {"a", "ab", false}, {"a*b*c", "axbyc", true}, {"a*b*c", "axcyb", false},
		{"**", "x", true}, {"a*a", "a", false}, {"", "x", false},
	} {
		o := finding.Owners{Agents: map[string]finding.Owner{c.pattern: {Owner: "x"}}}
		got := o.Of(&finding.Finding{Subject: finding.Subject{Agent: c.name}}).Owner == "x"
		if want := c.want && c.name != ""; got != want {
			t.Errorf("%q of %q: %v", c.pattern, c.name, got)
		}
	}
}

func TestOwnersThatOwnNothingAreRefused(t *testing.T) {
	o := finding.Owners{Tools: map[string]finding.Owner{"": {Owner: "x"}, "a": {}}, Agents: map[string]finding.Owner{"b": {}}}
	err := o.Validate()
	for _, want := range []string{"tools: a name is empty", `tools["a"] has neither owner nor team`, `agents["b"] has neither`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
