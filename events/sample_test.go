package events_test

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

const (
	short = "0123456789abcdef0123456789abcdef"
	full  = short + short
)

var at = time.Date(2026, 3, 9, 14, 30, 5, 250_000_000, time.UTC)

func sampleContext() events.Context {
	return events.Context{
		AgentName: "billing-agent", AgentVersion: "2.4.1", Environment: "production", Team: "payments",
		ConversationID: "conv-7f3a", Turn: 4, RequestID: "req_011", ProviderName: "anthropic", RequestModel: "claude-sonnet-4-5",
		TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", SpanID: "00f067aa0ba902b7", Cohort: "baseline",
	}
}

// sampleCall is an ordinary tool call of about 610 bytes.
func sampleCall() *events.Event {
	return sample(&events.ToolCall{
		Context: events.Context{
			AgentName: "billing-agent", AgentVersion: "2.4.1", Environment: "production", ConversationID: "conv-7f3a", Turn: 4,
			RequestID: "req_011", ProviderName: "anthropic", RequestModel: "claude-sonnet-4-5",
		},
		ToolCallID: "toolu_01", ToolName: "mcp__billing__search_invoices", Server: "billing", SchemaVersion: "v2",
		Outcome:         events.OutcomeOK,
		ArgumentShape:   []events.Argument{{Path: "/query", Type: "string"}, {Path: "/limit", Type: "integer"}},
		ArgumentsDigest: short, Attempt: 1, DurationSeconds: 0.25,
	})
}

func sample(d events.Data) *events.Event {
	return &events.Event{ID: "01957f3a-1111-7abc-8def-0123456789ab", Source: "/agents/billing", Time: at, Data: d}
}

// samples has one event of each kind with every field set.
func samples() []*events.Event {
	return []*events.Event{
		sample(&events.ToolCall{
			Context: sampleContext(), ToolCallID: "toolu_01", ToolName: "call_tool", Server: "billing", ResolvedName: "search_invoices",
			Bridge: "call_tool", BridgedName: "SearchInvoices", Resolution: events.ResolvedPrefixRepair, ResolutionHow: "prefix mcp__billing__ was dropped",
			SchemaVersion: "v1", ActiveVersion: "v2", UsedVersion: "v1", DriftClass: events.DriftSilentDefault, Outcome: events.OutcomeValidationError,
			ErrorType: "invalid_arguments", Execution: "client",
			ValidationErrors: []events.ValidationError{{Path: "/limit", Keyword: "maximum", Message: "want 5 at most"}, {Keyword: "required"}},
			UnknownArguments: []string{"max"}, DefaultedArguments: []string{"limit"}, RenamedArguments: []string{"max"}, Migration: "v1-to-v2",
			ArgumentShape:   []events.Argument{{Path: "/max", Type: "integer"}, {Path: "/note", Type: "null"}},
			ArgumentsDigest: short, Arguments: jsontext.Value(`{"max":10,"note":null}`),
			MadeUpIDs: []events.MadeUpID{{Path: "/id", Digest: short, Value: "inv_5634230"}},
			Attempt:   2, DurationSeconds: 0.125, InputTokens: events.Tokens(1200), OutputTokens: events.Tokens(0),
		}),
		sample(&events.Activation{
			Context: sampleContext(), Via: events.ViaToolSearch, Asked: []string{"search_invoices", "refund"},
			Loaded: []string{"search_invoices"}, Refused: []events.RefusedTool{{Name: "refund", Reason: events.RefusedNotPermitted}},
			Server: "billing", InputTokens: events.Tokens(90), OutputTokens: events.Tokens(12),
		}),
		sample(&events.RequestPrefix{
			Context: sampleContext(), Tools: []events.PrefixTool{{Name: "search_invoices", Digest: short}}, ToolsKnown: true,
			System: []string{short}, SystemKnown: true, Messages: []string{short, short}, MessagesKnown: true,
			Params:      []events.Param{{Name: "thinking", Digest: short}},
			Breakpoints: []events.Breakpoint{{Part: "system", Index: 0, TTLSeconds: 300}, {Part: "messages", Index: 1}}, RosterDigest: full,
			UncachedInputTokens: events.Tokens(12), CacheReadInputTokens: events.Tokens(40960), CacheWrite5mInputTokens: events.Tokens(310),
			CacheWrite1hInputTokens: events.Tokens(0), OutputTokens: events.Tokens(220), ProviderDiagnosis: "tools changed",
			Status: events.StatusOK, HTTPStatus: 200, ErrorType: "none", ResponseModel: "claude-sonnet-4-5-20250929", ResponseID: "msg_01",
			FinishReason: "tool_use", StartTime: at.Add(-3 * time.Second), EndTime: at, StatedCostUSD: events.USD(0.0175),
		}),
		sample(&events.ToolRoster{
			Context: sampleContext(), RosterDigest: full, Reason: events.RosterListChanged,
			Tools: []events.RosterTool{
				{Name: "refund", Server: "billing", WireDigest: full, DefinitionDigest: full, SchemaDigest: full, Denied: true, SummaryLength: 80},
				{Name: "search_invoices", Server: "billing", WireDigest: full, DefinitionDigest: full, SchemaDigest: full, Deferred: true, SummaryLength: 300, SummaryCut: true},
			},
			Server: "billing", Release: "v0.31.0", TextDigest: short, TextLength: 5120, NotConnected: []string{"crm"},
		}),
		sample(&events.ToolDefinition{
			Context: sampleContext(), ToolName: "search_invoices", Server: "billing", SchemaVersion: "v2", Release: "v0.31.0",
			WireDigest: full, DefinitionDigest: full, SchemaDigest: full,
			Definition: jsontext.Value(`{"name":"search_invoices","input_schema":{"type":"object","properties":{"query":{"type":"string","default":null}}}}`),
		}),
		sample(&events.ClientHeartbeat{
			Context: sampleContext(), ClientID: "01957f3a-2222-7abc-8def-0123456789ab", ClientVersion: "1.0.0", Emitted: 1000, Acked: 990,
			Dropped: []events.DropCount{{Reason: "buffer_full", Count: 4}}, QueueEvents: 6, QueueBytes: 3660, Reconnects: 1,
		}),
	}
}
