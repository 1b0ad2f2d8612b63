package client

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// Call is a tool call under way.
type Call struct {
	// ToolCall is the event in the making. The agent may set what it knows beside the name and the arguments: Server,
	// ToolCallID, SchemaVersion, Attempt, tokens. It must not touch it after End.
	ToolCall *events.ToolCall
	// State is what the conversation knows about its tools, for [Call.Check] to look the name up; nil looks nothing up. It is used by
	// Check alone, in the goroutine that calls it.
	State *activation.State
	// IDs is what the conversation's model has read, see [Client.NewIDs]: ids in the arguments that are not in it go into the event as made
	// up. They are looked for by [Call.Check], whether or not it refuses, and where it is not called by [Call.End]. Nil looks for none. Several calls, each in
	// a goroutine of its own, may share it.
	IDs *activation.IDs

	client *Client
	// arguments are the agent's own memory.
	arguments jsontext.Value
	start     time.Time
	ended     atomic.Bool
	// judgedIDs says that ids were looked for.
	judgedIDs bool
}

// ToolCallStart begins a tool call: name and arguments exactly as the model gave them. The shape and the digest of the
// arguments are taken at once; the arguments themselves are kept only where [Config.KeepArguments] says so and they are an object. An agent
// that goes on to [Call.Check] leaves their memory as it is until then, and one that sets IDs and does not, until [Call.End].
func (c *Client) ToolCallStart(about events.Context, name string, arguments []byte) *Call {
	t := &events.ToolCall{Context: about, ToolName: name}
	call := &Call{ToolCall: t, client: c, arguments: arguments, start: time.Now()}
	if len(arguments) == 0 {
		return call
	}
	t.ArgumentShape = drift.Shape(arguments)
	cfg := c.config()
	canonical, err := events.Canonical(arguments)
	if err != nil {
		t.ArgumentsDigest = cfg.Digester.Short(arguments)
		return call
	}
	t.ArgumentsDigest = cfg.Digester.Short(canonical)
	if cfg.KeepArguments && canonical.Kind() == jsontext.KindBeginObject {
		t.Arguments = bytes.Clone(arguments)
	}
	return call
}

// End ends the call and emits its event; errorType is a short name of what went wrong, without values, empty where nothing did.
// Ending again does nothing.
func (k *Call) End(outcome events.Outcome, errorType string) {
	if k.ended.Swap(true) {
		return
	}
	k.judgeIDs(k.arguments)
	k.ToolCall.Outcome, k.ToolCall.ErrorType = outcome, errorType
	k.ToolCall.DurationSeconds = time.Since(k.start).Seconds()
	k.client.Emit(&events.Event{Time: k.start, Data: k.ToolCall})
}

// Activation emits one request to load tools.
func (c *Client) Activation(a events.Activation) { c.Emit(&events.Event{Data: &a}) }

// config returns the settings; none for a client that was not started.
func (c *Client) config() *Config {
	if c == nil {
		return &Config{}
	}
	return &c.cfg
}
