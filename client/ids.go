package client

import (
	"cmp"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
)

// NewIDs returns the tracker of what one conversation's model has read, for [Call.IDs]. It has the client's digester, and puts values into
// events only where [Config.KeepArguments] says so, whatever the settings say. The zero settings are [activation.DefaultIDSettings]. It is to hear
// of all that the model reads, from the conversation's first message on: by [activation.IDs.SeeRequest] for each request before it is sent
// and, where the provider runs tools, by [activation.IDs.SeeResponse] for each answer before its calls; or by See and Learn, text by text. What it is not told of, it takes to be made up.
func (c *Client) NewIDs(s activation.IDSettings) *activation.IDs {
	cfg := c.config()
	s.IncludeValues = cfg.KeepArguments
	return activation.NewIDs(cfg.Digester, s)
}

// judgeIDs notes, once a call, the ids in its arguments that the conversation's model has not read.
func (k *Call) judgeIDs(arguments jsontext.Value) {
	if k.IDs == nil || k.judgedIDs || k.ToolCall.Execution == executedByProvider {
		return
	}
	k.judgedIDs = true
	found := k.IDs.CheckCall(cmp.Or(k.ToolCall.BridgedName, k.ToolCall.ResolvedName, k.ToolCall.ToolName), arguments)
	if !k.client.config().KeepArguments {
		for i := range found {
			found[i].Value = ""
		}
	}
	if found != nil {
		k.ToolCall.MadeUpIDs = found
	}
}
