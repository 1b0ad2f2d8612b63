package report

import (
	"time"

	"github.com/tooltrail/tooltrail/prefix"
)

// addMoney adds what can be saved, by whom and when it was lost, and what was seen of rosters.
func addMoney(r *prefix.Report) {
	block, first, lost := 0, int64(2273), int64(162_834)
	r.Savings = []prefix.Saving{
		{
			Agent: "support-desk", Verdict: prefix.Unattributed, Names: []string{"anthropic"}, Breaks: 29, Conversations: 1, TokensLost: 3_373_076,
			CostUSD: usd(11.637), USDPerDay: usd(0.2155), Unseen: []string{"tools", "system"}, Fix: "Check that requests of one conversation go to one endpoint, account and region.",
		},
		{
			Agent: "support-desk", Verdict: prefix.SystemChanged, SystemBlock: &block, Rhythm: prefix.Volatile, Breaks: 4, TokensLost: 279_336, CostUSD: usd(0.9637),
			USDPerDay: usd(0.0178), Fix: "Move what changes with every request (time, counters, state) out of block 0 of the system prompt into the latest message.",
		},
		{
			Agent: "coder", Verdict: prefix.ToolsChanged, Cause: prefix.CauseActivation, Kind: prefix.ToolAdded, Names: []string{"grep", "lsp"}, Breaks: 1, TokensLost: 512,
			Fix: "Load tools by reference (deferred), or before the conversation starts, so that an activation adds nothing to the array.",
		},
	}
	r.FluxRisks = []prefix.FluxRisk{
		{Conversation: "conv-0090", Kind: prefix.Volatile, Part: "system", Names: []string{"0"}, Requests: 9, Changes: 8, CouldRead: 40_600, CouldReadUSD: usd(0.0456)},
		{Conversation: "conv-0091", Kind: prefix.Flapping, Part: "tool_order", Requests: 9, Changes: 8, CouldRead: 812},
	}
	r.Agents = []prefix.AgentSpent{
		{Agent: "support-desk", Spent: prefix.Spent{Requests: 1460, Breaks: 33, TokensLost: 3_652_412, LostUSD: usd(12.6), CostUSD: usd(21.89)}},
		{Agent: "coder", Spent: prefix.Spent{Requests: 3, Breaks: 1, TokensLost: 512}},
	}
	for i := range 9 {
		day := at(9).AddDate(0, 0, i).Format(time.DateOnly)
		r.Days = append(r.Days, prefix.DaySpent{Day: day, Spent: prefix.Spent{Requests: 160, CostUSD: usd(2.5)}})
	}
	r.Days[2].Breaks, r.Days[2].TokensLost = 1, 512
	r.Days[8].Spent = prefix.Spent{Requests: 160, Breaks: 34, TokensLost: 3_652_924, LostUSD: usd(12.6), CostUSD: usd(15)}
	r.Diagnoses = prefix.Diagnoses{Agrees: 12, Disagrees: 1, Unclear: 3, Disagreements: []prefix.Disagreement{
		{Conversation: "conv-0081", Request: 416, Ours: prefix.Unattributed, Theirs: prefix.SystemChanged, Words: "system_changed", TokensLost: &lost},
	}}
	place := prefix.Place{Tool: 10, Name: "create_file", Byte: &first, Known: prefix.PlaceByte}
	r.Rosters = []prefix.RosterFlux{{Conversation: "conv-0113", Changes: 3, Values: 2}}
	r.RosterChanges = []prefix.RosterChange{{Conversation: "conv-0113", Place: place}}
	r.ToolArrays = []prefix.ArrayChange{
		{Conversation: "conv-0081", Request: 9, Kind: prefix.ArrayInserted, Legal: true, Place: place, TokensLost: &lost},
		{Conversation: "conv-0074", Request: 12, Kind: prefix.ArrayReordered, Place: place},
	}
	r.Nondeterminism = []prefix.Nondeterminism{{Agent: "support-desk", Version: "11", Kind: prefix.OtherOrder, Tools: 185, Tool: "create_file", Index: 10}}
}
