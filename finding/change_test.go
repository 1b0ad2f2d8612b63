package finding_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/finding"
)

func texts(all []finding.Change) []string {
	var out []string
	for _, c := range all {
		out = append(out, c.Text)
	}
	return out
}

func TestWhatChangedIsSaidNearestAndMostSpecificFirst(t *testing.T) {
	start := finding.Start{At: nine, Agent: "desk", AgentVersion: "12", Model: "m2"}
	order := finding.Subject{Server: "shop", Tool: "order"}
	of := func(k finding.ChangeKind, minutes int, change func(*finding.Happening)) finding.Happening {
		h := finding.Happening{Kind: k, At: at(-minutes), Server: "shop", Tool: "order", Agent: "desk", Version: "12", Model: "m2"}
		if change != nil {
			change(&h)
		}
		return h
	}
	for _, c := range []struct {
		name    string
		subject finding.Subject
		all     []finding.Happening
		want    []string
	}{
		{"the agent's version", order, []finding.Happening{of(finding.ChangedAgent, 4, nil)}, []string{"began 4 minutes after agent version 12 of desk was first seen"}},
		{"another version than that of the first event", order, []finding.Happening{of(finding.ChangedAgent, 4, func(h *finding.Happening) { h.Version = "13" })}, nil},
		{"another agent", order, []finding.Happening{of(finding.ChangedAgent, 4, func(h *finding.Happening) { h.Agent = "mail" })}, nil},
		{"another model", order, []finding.Happening{of(finding.ChangedModel, 4, func(h *finding.Happening) { h.Model = "m1" })}, nil},
		{"another tool", order, []finding.Happening{of(finding.ChangedDefinition, 4, func(h *finding.Happening) { h.Tool = "refund" })}, nil},
		{"another server", order, []finding.Happening{of(finding.ChangedRelease, 4, func(h *finding.Happening) { h.Server = "crm" })}, nil},
		{"its own release", finding.Subject{Server: "shop", Release: "12"}, []finding.Happening{of(finding.ChangedRelease, 4, nil)}, nil},
		{"the switch of another agent", order, []finding.Happening{of(finding.ChangedSwitch, 4, func(h *finding.Happening) { h.Agent = "mail" })}, nil},
		{"too long ago", order, []finding.Happening{of(finding.ChangedModel, 24*60+1, nil)}, nil},
		{"too late", order, []finding.Happening{of(finding.ChangedModel, -2, nil)}, nil},
		{"a little after, as clocks differ", order, []finding.Happening{of(finding.ChangedModel, -1, nil)}, []string{"began 1 minute before model m2 was first used by desk"}},
		{"a finding of no tool", finding.Subject{Agent: "desk"}, []finding.Happening{of(finding.ChangedDefinition, 1, nil), of(finding.ChangedSwitch, 1, nil)}, nil},
		{
			"the tool before the agent before the server, and minutes before hours", order,
			[]finding.Happening{
				of(finding.ChangedRoster, 0, func(h *finding.Happening) { h.Did = "list_changed" }),
				of(finding.ChangedRelease, 1, func(h *finding.Happening) { h.Version = "1.4" }),
				of(finding.ChangedAgent, 3, nil),
				of(finding.ChangedSwitch, 90, func(h *finding.Happening) { h.Agent, h.Did, h.By = "", "enabled", "lea" }),
				of(finding.ChangedSchema, 5, func(h *finding.Happening) { h.Version, h.Did, h.By = "v2", "activated", "tim" }),
				of(finding.ChangedModel, 10, nil),
			},
			[]string{
				"began 5 minutes after v2 of shop/order was activated by tim",
				"began 3 minutes after agent version 12 of desk was first seen",
				"began just when the tools of desk changed (list changed)",
				"began 1 minute after release 1.4 of shop was first seen",
				"began 10 minutes after model m2 was first used by desk",
			},
		},
		{"the same twice", order, []finding.Happening{of(finding.ChangedDefinition, 1, nil), of(finding.ChangedDefinition, 1, nil)}, []string{"began 1 minute after another definition of shop/order was first seen"}},
	} {
		if diff := cmp.Diff(c.want, texts(finding.Changes(c.subject, start, c.all))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestNothingIsSaidOfAgentsWhereTheFirstEventNamesNone(t *testing.T) {
	h := finding.Happening{Kind: finding.ChangedAgent, At: nine}
	if got := finding.Changes(finding.Subject{}, finding.Start{At: nine}, []finding.Happening{h}); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}

func ExampleChanges() {
	start := finding.Start{At: nine, Agent: "desk", AgentVersion: "12"}
	deployed := finding.Happening{Kind: finding.ChangedAgent, At: nine.Add(-4 * time.Minute), Agent: "desk", Version: "12"}
	for _, c := range finding.Changes(finding.Subject{Tool: "order"}, start, []finding.Happening{deployed}) {
		fmt.Println(c.Text)
	}
	// Output: began 4 minutes after agent version 12 of desk was first seen
}
