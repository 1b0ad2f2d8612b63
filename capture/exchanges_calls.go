package capture

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// waitingCall is a call that waits for its result.
type waitingCall struct {
	call  *events.ToolCall
	at    time.Time
	parts []string
}

// byProvider is the word for how the name of a tool that the provider runs was found.
const byProvider = "provider"

// reply takes what the answer says, in its order: a tool that a search in it found can be called in it.
func (t *turn) reply() error {
	clear(t.m.found)
	t.hear()
	calls := 0
	for _, st := range t.answer.steps {
		if st.call != nil {
			calls++
		}
	}
	for _, st := range t.answer.steps {
		var err error
		switch {
		case st.call != nil:
			err = t.call(st.call, calls)
		case st.result != nil:
			t.m.ids.Learn(st.result.text)
			err = t.settle(st.result)
		case st.load != nil:
			t.m.found[strings.Join(st.load.names, " ")]++
			err = t.load(st.load)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// call judges one call and keeps it until its result comes.
func (t *turn) call(u *toolUse, calls int) error {
	c := &events.ToolCall{
		Context: t.context, ToolCallID: u.id, ToolName: u.name,
		ArgumentsDigest: argumentsDigest(t.r.src.Options.Digester, u.args),
	}
	inner := t.resolve(c, u)
	t.judge(c, u, inner)
	t.share(c, calls)
	at := t.start
	if !t.end.IsZero() {
		at = t.end
	}
	t.calls++
	t.c.waiting = append(t.c.waiting, &waitingCall{c, at, []string{"call", t.key, decimal(t.c.turn), decimal(int64(t.calls))}})
	if len(t.c.waiting) > maxOpenCalls {
		w := t.c.waiting[0]
		t.c.waiting = t.c.waiting[1:]
		w.call.Outcome, w.call.ErrorType = events.OutcomeOK, noResult
		return t.r.sendCall(t.c, w)
	}
	return nil
}

// resolve looks the name up and returns the arguments of the tool that is meant.
func (t *turn) resolve(c *events.ToolCall, u *toolUse) jsontext.Value {
	res, bridge := t.m.state.ResolveCall(u.name, u.args)
	if u.provider {
		c.Execution = "provider"
	}
	if (u.provider || u.builtin) && res.Resolution != events.ResolvedOK {
		c.Resolution, c.ResolutionHow = events.ResolvedOK, byProvider
		return u.args
	}
	c.Resolution, c.ResolutionHow, c.Server, c.Bridge = res.Resolution, res.How, res.Server, bridge.Bridge
	meant := cmp.Or(res.Name, bridge.Name)
	if meant != u.name {
		c.ResolvedName = meant
	}
	c.BridgedName = bridge.BridgedName(meant)
	if bridge.Bridge == "" {
		return u.args
	}
	if len(bridge.Arguments) == 0 {
		return jsontext.Value("{}")
	}
	return bridge.Arguments
}

// judge holds the arguments against the schema that the request sent, and against what was said before.
func (t *turn) judge(c *events.ToolCall, u *toolUse, inner jsontext.Value) {
	if u.args == nil {
		if !u.builtin {
			c.DriftClass = events.DriftValidationError
			c.ValidationErrors = []events.ValidationError{{Keyword: drift.KeywordJSON}}
		}
		return
	}
	c.ArgumentShape = drift.Shape(inner)
	if !u.provider {
		c.MadeUpIDs = t.m.ids.CheckCall(calledTool(c), inner)
	}
	if t.r.src.Options.IncludeValues {
		c.Arguments = u.args.Clone()
	}
	if c.Resolution != events.ResolvedOK && c.Resolution != events.ResolvedNotActivated || t.c.tools == nil {
		return
	}
	if v, ok := t.c.tools.schemas[cmp.Or(c.ResolvedName, c.ToolName)]; ok {
		c.ArgumentShape = v.Shape(inner)
		verdict := drift.Classify(v, drift.Call{Arguments: inner})
		verdict.Apply(c)
	}
}

// share gives the call its part of what the request used.
func (t *turn) share(c *events.ToolCall, calls int) {
	u := &t.answer.usage
	if in := u.InputTokens(); in.Known && calls > 0 {
		c.InputTokens = events.Tokens(in.N / int64(calls))
	}
	if u.OutputTokens.Known && calls > 0 {
		c.OutputTokens = events.Tokens(u.OutputTokens.N / int64(calls))
	}
}

// settle ends the call that a result answers, and sends it. A result of no call that waits is one of a call that the log does
// not have.
func (t *turn) settle(r *toolResult) error {
	i := slices.IndexFunc(t.c.waiting, func(w *waitingCall) bool {
		return r.id != "" && w.call.ToolCallID == r.id || r.id == "" && w.call.ToolName == r.name
	})
	if i < 0 {
		return nil
	}
	w := t.c.waiting[i]
	t.c.waiting = slices.Delete(t.c.waiting, i, i+1)
	w.call.Outcome = events.OutcomeOK
	if r.failed {
		w.call.Outcome, w.call.ErrorType = failureOf(w.call, r)
	}
	return t.r.sendCall(t.c, w)
}

// failureOf tells what kind of failure a result is: one of arguments that don't fit, or of the tool.
func failureOf(c *events.ToolCall, r *toolResult) (events.Outcome, string) {
	outcome, kind := failure(r.text)
	if r.errorType != "" {
		kind = r.errorType
	}
	if outcome == events.OutcomeExecutionError && (saysValidation(r.text) || len(c.ValidationErrors) > 0) {
		return events.OutcomeValidationError, cmp.Or(kind, errInput)
	}
	return outcome, kind
}

// sendCall numbers the try and sends the call.
func (r *exchangeReader) sendCall(c *exchangeConversation, w *waitingCall) error {
	tool := cmp.Or(w.call.ResolvedName, w.call.ToolName)
	w.call.Attempt = c.failed[tool] + 1
	if w.call.Outcome == events.OutcomeOK {
		delete(c.failed, tool)
	} else if c.failed[tool] > 0 || len(c.failed) < maxTools {
		c.failed[tool]++
	}
	return r.send(r.src.Event(w.at, w.call, w.parts...))
}

// repeats reports whether a load in a message was told of before: by the last answer, or by a history now told in other words.
func (t *turn) repeats(l *toolLoad) bool {
	if l.via != events.ViaToolSearch {
		return false
	}
	key := strings.Join(l.names, " ")
	if t.m.found[key] > 0 {
		t.m.found[key]--
		return true
	}
	return t.replays && !slices.ContainsFunc(l.names, func(name string) bool { return !t.m.state.Loaded(name) })
}

// load makes tools callable and sends the activation, with the definitions that came along.
func (t *turn) load(l *toolLoad) error {
	t.m.state.Load(l.names...)
	for _, name := range l.names {
		if t.told == nil {
			t.told = map[string]bool{}
		}
		t.told[name] = true
	}
	if known, err := readTools(t.r.src.Options.Digester, l.definitions); err == nil {
		if err := t.r.sendDefinitions(known, t.start); err != nil {
			return err
		}
	}
	for _, d := range l.definitions {
		t.m.see(d)
	}
	t.loads++
	a := &events.Activation{Context: t.context, Via: l.via, Loaded: l.names}
	return t.r.send(t.r.src.Event(t.start, a, "load", t.key, decimal(t.c.turn), decimal(int64(t.loads))))
}
