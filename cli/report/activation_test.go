package report

import (
	"bytes"
	"testing"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/analyzer"
)

func TestWhoBrokeRulesAndWhetherLoadingPaysIsSaidWhereItIsKnown(t *testing.T) {
	yes, no := true, false
	r := &analyzer.Report{Activation: activation.Report{
		Calls: 20, Judged: 20,
		Rules: map[string]*activation.Rule{
			"guessed": {Count: 4, Tokens: 4400, Names: []activation.Name{{Called: "WebSearch", Meant: "web_search", Count: 3}}, Parts: activation.Parts{
				Agents: []activation.Part{{Name: "helper", Count: 3}}, Models: []activation.Part{{Name: "gpt-5.1", Count: 4}}, Action: "Put web_search into the roster in front of the model of helper, written as it has to be called.", CostUSD: usd(0.012), Conversations: 2,
				Worst: []activation.Part{{Name: "conv-0007", Count: 3}, {Name: "conv-\x1b[2J", Count: 1}},
			}},
			activation.RuleRoundTrips: {Count: 2, Tokens: 812, Parts: activation.Parts{Agents: []activation.Part{{Name: "helper", Count: 2}}}},
			activation.RuleRemoved:    {Count: 1, Names: []activation.Name{{Called: "send_fax", Count: 1}}},
		},
		Pays: []activation.Pay{
			{Agent: "helper", Requests: 100, RosterTokens: 1352, LoadedTokens: 800, RequestsReported: true, RoundTripTokens: new(uint64(9000)), GuessTokens: new(uint64(4400)), OnDemandTokens: 228_600, AllLoadedTokens: 9_923_200, SavedTokens: 9_694_600, Pays: &yes},
			{Agent: "small", Requests: 3, RequestsReported: true, RosterTokens: 100, OnDemandTokens: 300, AllLoadedTokens: 200, SavedTokens: -100, Pays: &no},
			{Agent: "", Requests: 1, Tools: 12, ToolsKnown: 5},
			{Agent: "silent", Requests: 2, RoundTrips: 6, Guesses: 3, Tools: 12, ToolsKnown: 12, SavedTokens: 50_000, OnDemandTokens: 4000, AllLoadedTokens: 54_000},
		},
	}}
	for name, style := range map[string]Style{"activation-pipe": {}, "activation-80": {Width: 80}, "activation-all": {Width: 120, All: true}} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := writeActivation(&got, r, style); err != nil {
				t.Fatal(err)
			}
			golden(t, name, got.Bytes())
			fits(t, got.String(), style)
		})
	}
}
