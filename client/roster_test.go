package client

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

func shownInput() activation.RosterInput {
	long := strings.Repeat("word ", 70)
	return activation.RosterInput{Tools: []activation.Tool{
		{Name: "b", Server: "s", Deferred: true, Definition: jsontext.Value(`{"name":"b","description":"` + long + `"}`)},
		{Name: "a", Server: "s", Definition: jsontext.Value(`{"name":"a","description":"Does a."}`)},
	}}
}

func TestAShownRosterIsToldOfAsTheModelSeesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		r := activation.NewRoster(shownInput())
		about := events.ToolRoster{Context: events.Context{ConversationID: "1", AgentName: "support"}, Reason: events.RosterDeploy}
		text := c.ShowRoster(about, r, activation.TextOptions{})
		if text != r.Text(activation.TextOptions{}) || c.ShowRoster(about, r, activation.TextOptions{}) != text {
			t.Error("another text is shown than the roster's")
		}
		c.Roster(events.ToolRoster{Context: about.Context}, jsontext.Value(`{"name":"a","description":"Does a."}`)) // the tools array
		c.ShowRoster(about, activation.NewRoster(shownInput()), activation.TextOptions{})                           // the same again
		about.ConversationID = "2"
		c.ShowRoster(about, r, activation.TextOptions{SummaryLimit: 400})
		closeNow(t, c)
		rosters := all[*events.ToolRoster](t, l)
		if len(rosters) != 3 {
			t.Fatalf("%d rosters", len(rosters))
		}
		first, wide := rosters[0], rosters[2]
		if first.ConversationID != "1" || first.AgentName != "support" || first.Reason != events.RosterDeploy || first.TextLength != int64(len(text)) ||
			first.TextDigest != c.cfg.Digester.Full([]byte(text)) || first.RosterDigest == wide.RosterDigest || rosters[1].TextDigest != "" {
			t.Errorf("have %+v", first)
		}
		if a, b := first.Tools[0], first.Tools[1]; a.Name != "a" || a.SummaryCut || !b.SummaryCut || !b.Deferred || wide.Tools[1].SummaryCut || b.Server != "s" {
			t.Errorf("have %+v", first.Tools)
		}
		if d := all[*events.ToolDefinition](t, l); len(d) != 3 || d[0].Server != "s" || d[0].ToolName != "a" || d[2].Server != "" {
			t.Errorf("%d definitions", len(d))
		}
	})
}

func TestAClientThatWasNotStartedShowsARosterAllTheSame(t *testing.T) {
	r := activation.NewRoster(shownInput())
	for _, c := range []*Client{nil, {}} {
		if c.ShowRoster(events.ToolRoster{}, r, activation.TextOptions{}) != r.Text(activation.TextOptions{}) {
			t.Error("no text")
		}
	}
}

func TestOnlySomeShownRostersAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := fake(t, nil, nil)
		for range 2*maxTexts + 1 {
			c.ShowRoster(events.ToolRoster{}, activation.NewRoster(shownInput()), activation.TextOptions{})
		}
		if n := len(c.memory.texts); n > maxTexts {
			t.Errorf("%d are remembered", n)
		}
		closeNow(t, c)
	})
}
