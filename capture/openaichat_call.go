package capture

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// errorPrefix starts the result of a call that failed.
const errorPrefix = "Error:"

// call judges one call and keeps it until its result comes.
func (c *conversation) call(in chatCall) {
	args, isJSON := callArguments(in.Function.Arguments)
	t := &events.ToolCall{
		Context:         c.context(),
		ToolCallID:      in.ID,
		ToolName:        in.Function.Name,
		Outcome:         events.OutcomeOK,
		ArgumentsDigest: argumentsDigest(c.r.src.Options.Digester, args),
	}
	inner := c.resolve(t, args)
	if !isJSON {
		t.DriftClass = events.DriftValidationError
		t.ValidationErrors = []events.ValidationError{{Keyword: drift.KeywordJSON}}
	} else {
		c.judge(t, args, inner)
	}
	if t.DriftClass == events.DriftValidationError || len(t.ValidationErrors) > 0 {
		t.Outcome = events.OutcomeValidationError
	}
	c.calls++
	c.waiting = append(c.waiting, &chatWaiting{call: t, at: c.at, n: c.calls})
}

// resolve looks the name up and returns the arguments of the tool that is meant.
func (c *conversation) resolve(t *events.ToolCall, args jsontext.Value) jsontext.Value {
	res, bridge := c.state.ResolveCall(t.ToolName, args)
	t.Resolution, t.ResolutionHow, t.Server, t.Bridge = res.Resolution, res.How, res.Server, bridge.Bridge
	meant := cmp.Or(res.Name, bridge.Name)
	if meant != t.ToolName {
		t.ResolvedName = meant
	}
	t.BridgedName = bridge.BridgedName(meant)
	if bridge.Bridge == "" {
		return args
	}
	if len(bridge.Arguments) == 0 {
		return jsontext.Value("{}")
	}
	return bridge.Arguments
}

// judge holds the arguments against the schema and what was said before.
func (c *conversation) judge(t *events.ToolCall, args, inner jsontext.Value) {
	t.ArgumentShape = drift.Shape(inner)
	t.MadeUpIDs = c.ids.CheckCall(calledTool(t), inner)
	if c.r.src.Options.IncludeValues && args.Kind() == '{' {
		t.Arguments = args
	}
	if t.Resolution != events.ResolvedOK && t.Resolution != events.ResolvedNotActivated {
		return
	}
	c.tools.classify(t, inner)
}

// result ends the call that it answers and sends it.
func (c *conversation) result(id, text string) error {
	i := slices.IndexFunc(c.waiting, func(w *chatWaiting) bool { return id == "" || w.call.ToolCallID == id })
	if i < 0 {
		return nil
	}
	w := c.waiting[i]
	c.waiting = slices.Delete(c.waiting, i, i+1)
	if strings.HasPrefix(text, errorPrefix) && w.call.Outcome == events.OutcomeOK {
		w.call.Outcome = events.OutcomeExecutionError
	}
	return c.sendCall(w)
}

// sendCall numbers the try and sends the call.
func (c *conversation) sendCall(w *chatWaiting) error {
	t := w.call
	tool := cmp.Or(t.ResolvedName, t.ToolName)
	t.Attempt = c.failed[tool] + 1
	if t.Outcome == events.OutcomeOK {
		delete(c.failed, tool)
	} else if c.failed[tool] > 0 || len(c.failed) < maxTools {
		c.failed[tool]++
	}
	return c.send(w.at, t, "call", strconv.Itoa(w.n), t.ToolCallID, t.ToolName, t.ArgumentsDigest)
}

// maxTools is for how many tools of a conversation failed tries are counted.
const maxTools = 1024

// noResult is the error type of a call whose result the file doesn't have: it is taken to have ended well.
const noResult = "no_result"

// end sends the calls that nothing answered.
func (c *conversation) end() error {
	for _, w := range c.waiting {
		w.call.ErrorType = noResult
		if err := c.sendCall(w); err != nil {
			return err
		}
	}
	c.waiting = nil
	return nil
}

// callArguments returns the arguments object, which is in a string or not, and whether it is JSON. Nothing at all is {}.
func callArguments(v jsontext.Value) (jsontext.Value, bool) {
	switch v.Kind() {
	case jsontext.KindInvalid, 'n':
		return jsontext.Value("{}"), true
	case '"':
		v = jsontext.Value(strings.TrimSpace(plain(v)))
		if len(v) == 0 {
			v = jsontext.Value("{}")
		}
	}
	return v, v.IsValid()
}

// argumentsDigest digests the canonical form, or the bytes where they are no JSON.
func argumentsDigest(d events.Digester, args jsontext.Value) string {
	if c, err := events.Canonical(args); err == nil {
		return d.Short(c)
	}
	return d.Short(args)
}

// calledTool is the name of the tool that a call runs, inside a bridge too.
func calledTool(c *events.ToolCall) string { return cmp.Or(c.BridgedName, c.ResolvedName, c.ToolName) }
