package ingest_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
)

const orderV2 = `{"name":"create_order","inputSchema":{"type":"object","properties":{"customer":{"type":"string"},` +
	`"quantity":{"type":"integer","default":0}},"required":["customer"],"additionalProperties":false}}`

func orderDefinition() *events.ToolDefinition {
	return &events.ToolDefinition{ToolName: "create_order", Server: "orders", SchemaVersion: "v2", Definition: []byte(orderV2)}
}

func orderCall(arguments string) *events.ToolCall {
	return &events.ToolCall{ToolName: "create_order", Server: "orders", Outcome: events.OutcomeOK, Arguments: []byte(arguments)}
}

func TestACallThatNobodyJudgedIsJudged(t *testing.T) {
	c := ingest.NewClassifier(slog.New(slog.DiscardHandler))
	c.Enrich(&events.Event{Data: orderDefinition()})
	for _, tt := range []struct {
		arguments string
		want      events.DriftClass
	}{
		{`{"customer":"c","quantity":2}`, events.DriftCurrent},
		{`{"quantity":2}`, events.DriftValidationError},
		{`{"customer":"c","quantity":"two"}`, events.DriftValidationError},
	} {
		call := orderCall(tt.arguments)
		c.Enrich(&events.Event{Data: call})
		if call.DriftClass != tt.want {
			t.Errorf("%s: class %q, want %q", tt.arguments, call.DriftClass, tt.want)
		}
	}
}

func TestACallThatWasJudgedOrHasNoArgumentsStaysAsItIs(t *testing.T) {
	c := ingest.NewClassifier(slog.New(slog.DiscardHandler))
	c.Enrich(&events.Event{Data: orderDefinition()})
	for _, call := range []*events.ToolCall{
		{ToolName: "create_order", Server: "orders", DriftClass: events.DriftOldVersion, Arguments: []byte(`{}`)},
		{ToolName: "create_order", Server: "orders"},
	} {
		before := *call
		c.Enrich(&events.Event{Data: call})
		if diff := cmp.Diff(before, *call); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	}
}

func TestAHostileDefinitionIsPassedOver(t *testing.T) {
	c := ingest.NewClassifier(slog.New(slog.DiscardHandler))
	bad := orderDefinition()
	bad.Definition = []byte(`{"name":"create_order","inputSchema":{"type":"object","$ref":"https://example.com/s"}}`)
	c.Enrich(&events.Event{Data: bad})
	call := orderCall(`{"customer":"c"}`)
	c.Enrich(&events.Event{Data: call})
	if call.DriftClass == events.DriftCurrent {
		t.Errorf("a call was judged against a schema that can't be used: %q", call.DriftClass)
	}
}

// TestAClassifierThatStartsLaterKnowsWhatIsStored stores a definition on the real engine and judges by it.
func TestAClassifierThatStartsLaterKnowsWhatIsStored(t *testing.T) {
	db := openStore(t)
	const lane = "1/tooltrail.v1.0.tool_definition"
	d := orderDefinition()
	digest := events.Digester{}.Full([]byte(orderV2))
	d.WireDigest, d.DefinitionDigest, d.SchemaDigest = digest, digest, digest
	e := &events.Event{ID: callID(1).String(), Source: "agent/support", Time: time.Unix(1_700_000_000, 0), Data: d}
	if err := db.Insert(t.Context(), lane, lane+"@0", []events.Row{{Seq: 1, Event: e}}); err != nil {
		t.Fatal(err)
	}
	c := ingest.NewClassifier(slog.New(slog.DiscardHandler))
	if err := c.Load(context.Background(), db); err != nil {
		t.Fatal(err)
	}
	call := orderCall(`{"quantity":1}`)
	c.Enrich(&events.Event{Data: call})
	if call.DriftClass != events.DriftValidationError {
		t.Errorf("class %q, want %q", call.DriftClass, events.DriftValidationError)
	}
}
