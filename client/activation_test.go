package client

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// deferredOrder is a conversation whose process_order has to be loaded.
func deferredOrder(t *testing.T) (*activation.State, *activation.Loader) {
	t.Helper()
	s := activation.NewState(activation.NewRoster(activation.RosterInput{Tools: []activation.Tool{{Name: "process_order", Server: "shop", Deferred: true}}}))
	l, err := activation.NewLoader(s, activation.Checks{})
	if err != nil {
		t.Fatal(err)
	}
	return s, l
}

// all returns the events of one kind, in the order sent.
func all[T events.Data](t *testing.T, l *fakeLink) []T {
	t.Helper()
	var found []T
	for _, m := range l.calls() {
		for _, line := range events.Lines(m.Data) {
			e, err := events.Decode(line)
			if err != nil {
				t.Fatal(err)
			}
			if d, ok := e.Data.(T); ok {
				found = append(found, d)
			}
		}
	}
	return found
}

func TestACallBeforeItsActivationIsNoErrorOfTheTool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, link := knowing(t, nil, orderDocument(t))
		s, l := deferredOrder(t)
		about := events.Context{ConversationID: "c-1", Turn: 1}
		try := func() error {
			k := c.ToolCallStart(about, "process_order", []byte(`{"amount":"not a number"}`))
			k.State = s
			_, err := k.Check(t.Context())
			k.End(events.OutcomeOK, "")
			return err
		}
		var refusal *activation.Refusal
		if err := try(); !errors.As(err, &refusal) || refusal.Reason != activation.ReasonNotActivated || refusal.Server != "shop" {
			t.Errorf("before: %v", err)
		}
		if out := c.Load(about, l, "process_order"); !slices.Equal(out.Names, []string{"process_order"}) {
			t.Errorf("have %+v", out)
		}
		s.Step()
		if err := try(); err != nil {
			t.Errorf("after: %v", err)
		}
		closeNow(t, c)
		var said []events.Resolution
		for _, e := range all[*events.ToolCall](t, link) {
			said = append(said, e.Resolution)
			if e.Resolution == events.ResolvedNotActivated && (e.Outcome != events.OutcomeRefused || len(e.ValidationErrors) > 0 || e.DriftClass != "") {
				t.Errorf("have %+v", e)
			}
		}
		if diff := cmp.Diff([]events.Resolution{events.ResolvedNotActivated, events.ResolvedOK}, said); diff != "" {
			t.Error(diff)
		}
		if a := all[*events.Activation](t, link); len(a) != 1 || a[0].Via != events.ViaActivationTool || !slices.Equal(a[0].Loaded, []string{"process_order"}) || a[0].ConversationID != "c-1" {
			t.Errorf("have %+v", a)
		}
	})
}

func TestLoadingRestoringAndMentioningAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, link := fake(t, nil, nil)
		s, l := deferredOrder(t)
		about := events.Context{ConversationID: "c-1"}
		c.Load(about, l, "SHOP", "process-order", "\xff")
		out := c.Restore(about, l, []string{"process_order", "gone"})
		if !s.Loaded("process_order") || len(out.Refused) != 1 {
			t.Errorf("have %+v", out)
		}
		s.Unload("process_order")
		c.Mention(about, l, activation.Mention{Server: "shop", Loaded: []string{"process_order"}})
		if !s.Loaded("process_order") {
			t.Error("a mention did not load")
		}
		closeNow(t, c)
		want := []*events.Activation{
			{Context: about, Via: events.ViaActivationTool, Asked: []string{"SHOP", "process-order", "\ufffd"}, Server: "shop", Refused: []events.RefusedTool{
				{Name: "SHOP", Reason: events.RefusedConnectorName}, {Name: "process-order", Reason: events.RefusedUnknown}, {Name: "\ufffd", Reason: events.RefusedUnknown},
			}},
			{Context: about, Via: events.ViaRestore, Asked: []string{"process_order", "gone"}, Loaded: []string{"process_order"}, Refused: []events.RefusedTool{{Name: "gone", Reason: events.RefusedUnknown}}},
			{Context: about, Via: events.ViaMention, Asked: []string{"process_order"}, Loaded: []string{"process_order"}, Server: "shop"},
		}
		if diff := cmp.Diff(want, all[*events.Activation](t, link)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAClientThatWasNotStartedLoadsAllTheSame(t *testing.T) {
	_, l := deferredOrder(t)
	var c *Client
	if out := c.Load(events.Context{}, l, "process_order"); len(out.Names) != 1 {
		t.Errorf("have %+v", out)
	}
}

func TestEveryRefusalOfFiveIsAnActivationRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := knowing(t, nil, orderDocument(t))
		turn(c, disabled(""), 1)
		_, err := order(c, `{"id":"x"}`).Check(t.Context())
		var refusal *activation.Refusal
		var refused *RefusedError
		if !errors.As(err, &refusal) || refusal.Reason != activation.ReasonDisabled || refusal.Server != "shop" || !errors.As(err, &refused) || refused.Switch == nil {
			t.Errorf("disabled: %v", err)
		}
		if err.Error() != refusal.Error() {
			t.Errorf("two texts: %s, %s", err, refusal)
		}
		closeNow(t, c)
	})
	if errors.As(&RefusedError{Reason: RefusalSilentDefault, Verdict: drift.Verdict{}}, new(*activation.Refusal)) {
		t.Error("a silent default is an activation's refusal")
	}
}

func TestAToolThatTheProviderRanIsLegal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, link := knowing(t, nil, orderDocument(t))
		k := c.ToolCallStart(events.Context{}, "web_search", []byte(`{}`))
		k.ToolCall.Execution = "provider"
		k.State, _ = deferredOrder(t)
		if _, err := k.Check(t.Context()); err != nil {
			t.Error(err)
		}
		k.End(events.OutcomeOK, "")
		closeNow(t, c)
		if e := all[*events.ToolCall](t, link); len(e) != 1 || e[0].Resolution != events.ResolvedOK || e[0].ResolutionHow != activation.HowProvider {
			t.Errorf("have %+v", e)
		}
	})
}

func TestARefusalInsideABridgeNamesWhatTheBridgeWasAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := knowing(t, nil, orderDocument(t))
		k := c.ToolCallStart(events.Context{}, "call_tool", []byte(`{"name":"process_order","arguments":{}}`))
		k.State, _ = deferredOrder(t)
		_, err := k.Check(t.Context())
		var refusal *activation.Refusal
		if !errors.As(err, &refusal) || refusal.Name != "process_order" || refusal.Reason != activation.ReasonNotActivated {
			t.Errorf("have %v", err)
		}
		closeNow(t, c)
	})
}
