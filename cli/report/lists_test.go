package report

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// evilName is what a stranger may call a tool.
var evilName = "\x1b[2J\u202egnp.exe\r\nfake line" + strings.Repeat("long_", 98)

func someSwitches() []drift.Switch {
	return []drift.Switch{
		{
			Server: "shop", Tool: "process_order", State: drift.SwitchDisabled, Since: at(9), By: "breaker", Reason: "3 validation errors in a row", Version: "v2", ErrorCount: 3,
			Errors:        []events.ValidationError{{Path: "/quantity", Keyword: "required"}, {Keyword: "type", Message: "want an object"}},
			Conversations: []string{"c1", "c2"}, ConversationCount: 3, ProbeAfter: at(10),
		},
		{Server: "shop", Tool: "cancel", Agent: "desk", State: drift.SwitchDisabled, Since: at(8), Until: at(9), By: "ada", Reason: "it was broken"},
		{Tool: "search", State: drift.SwitchProbing, Since: at(8), By: "breaker", Reason: "errors", ProbeBy: "client-1", ProbeAt: at(9)},
		{Tool: "pay", State: drift.SwitchEnabled, Since: at(8), Until: at(18), By: "bob", Reason: "we watch it", AlertOnly: drift.AlertKept, AlertedAt: at(9)},
	}
}

func someChanges() []events.ToolChange {
	return []events.ToolChange{
		{At: at(10), Server: "shop", Tool: "process_order", Action: "start_canary", Version: "v2", ChangedBy: "ada", Reason: "try it"},
		{At: at(9), Tool: "search", Agent: "desk", Action: "disabled", ChangedBy: "breaker", Reason: "3 validation errors in a row"},
	}
}

func someDocuments() []*drift.Document {
	return []*drift.Document{
		{Tool: "search", Versions: []drift.VersionEntry{{Version: "schema-0123456789ab", State: drift.StateLegacy}}},
		{
			Server: "shop", Tool: "process_order", Owner: "orders", Canary: &drift.Canary{Version: "v4", Share: 0.1},
			Versions: []drift.VersionEntry{
				{Version: "v1", State: drift.StateRetired}, {Version: "v2", State: drift.StateLegacy}, {Version: "v3", State: drift.StateActive, Since: at(9)},
				{Version: "v4", State: drift.StateCanary},
			},
		},
	}
}

func TestListsOfToolsLookAsTheyShould(t *testing.T) {
	for name, write := range map[string]func(w io.Writer, s Style) error{
		"switches": func(w io.Writer, s Style) error { return SwitchList(w, someSwitches(), at(12), s) },
		"changes":  func(w io.Writer, s Style) error { return ChangeList(w, someChanges(), true, s) },
		"registry": func(w io.Writer, s Style) error { return RegistryList(w, someDocuments(), s) },
	} {
		for suffix, s := range map[string]Style{"": {}, "-60": {Width: 60}} {
			t.Run(name+suffix, func(t *testing.T) {
				var got bytes.Buffer
				if err := write(&got, s); err != nil {
					t.Fatal(err)
				}
				golden(t, name+suffix, got.Bytes())
				fits(t, got.String(), s)
			})
		}
	}
}

func TestHostileNamesOfToolsStayInTheirLines(t *testing.T) {
	s := drift.Switch{
		Server: evilName, Tool: evilName, Agent: evilName, State: "\x1b", Since: time.Time{}, By: evilName, Reason: evilName, Version: evilName,
		Errors: []events.ValidationError{{Path: evilName, Keyword: evilName, Message: evilName}}, Conversations: []string{evilName}, ProbeBy: evilName,
	}
	c := events.ToolChange{Server: evilName, Tool: evilName, Agent: evilName, Action: evilName, Version: evilName, ChangedBy: evilName, Reason: evilName}
	d := drift.Document{
		Server: evilName, Tool: evilName, Owner: evilName, Canary: &drift.Canary{Version: evilName},
		Versions: []drift.VersionEntry{{Version: evilName, State: drift.StateActive}, {Version: evilName, State: drift.StateLegacy}},
	}
	for _, style := range []Style{{}, {Width: 40}, {Width: 120}} {
		var got bytes.Buffer
		for _, err := range []error{
			SwitchList(&got, []drift.Switch{s}, at(9), style), ChangeList(&got, []events.ToolChange{c}, true, style),
			RegistryList(&got, []*drift.Document{&d}, style),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		fits(t, got.String(), style)
	}
}
