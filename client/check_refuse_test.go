package client

import (
	"errors"
	"slices"
	stdstrings "strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// turn sets a switch.
func turn(c *Client, sw drift.Switch, revision uint64) {
	c.know.mu.Lock()
	defer c.know.mu.Unlock()
	c.know.setSwitch(switchKey{drift.Key{Server: sw.Server, Tool: sw.Tool}, sw.Agent}, &sw, revision)
}

func disabled(agent string) drift.Switch {
	return drift.Switch{
		Server: "shop", Tool: "process_order", Agent: agent, State: drift.SwitchDisabled, Since: time.Now(), By: "breaker",
		Reason: "3 validation errors in a row",
	}
}

func TestASilentDefaultIsRefusedWhereTheSettingsSaySo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := knowing(t, func(c *Config) { c.RefuseSilentDefaults = true }, orderDocument(t))
		_, err := order(c, `{"id":"x","amount":5}`).Check(t.Context())
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Reason != RefusalSilentDefault {
			t.Fatalf("have %v", err)
		}
		if text := err.Error(); !stdstrings.HasPrefix(text, `The tool "process_order" was not run. `) || !stdstrings.HasSuffix(text, refused.Verdict.Text()) || !stdstrings.Contains(text, "amount") {
			t.Errorf("have %s", text)
		}
		closeNow(t, c)
		if _, e := only[*events.ToolCall](t, l); e.Outcome != events.OutcomeRefused || e.ErrorType != "silent_default" || !slices.Equal(e.DefaultedArguments, []string{"quantity"}) {
			t.Errorf("have %+v", e)
		}
	})
}

func TestATextForTheModelSaysWhyAndGuessesNoName(t *testing.T) {
	roster := activation.NewRoster(activation.RosterInput{
		Tools: []activation.Tool{
			{Name: "process_order", Server: "shop"}, {Name: "cancel_order", Server: "shop", Deferred: true}, {Name: "delete_order", Server: "shop", Denied: true},
			{Name: "send_mail", Server: "mail"},
		},
		NotConnected: []string{"mail"},
	})
	calls := map[string]Refusal{
		"process_order": RefusalDisabled, "cancel_order": RefusalNotActivated, "delete_order": RefusalNotPermitted, "send_mail": RefusalNotConnected,
		"make_coffee": RefusalUnknown, "process_ordr": RefusalUnknown, "Cancel-Order": RefusalUnknown, "shop": RefusalUnknown, "order": RefusalUnknown,
	}
	texts := map[string]string{}
	for name, want := range calls {
		synctest.Test(t, func(t *testing.T) {
			c, l := knowing(t, nil, orderDocument(t))
			turn(c, disabled(""), 1)
			k := c.ToolCallStart(events.Context{}, name, []byte(`{}`))
			k.State = activation.NewState(roster)
			_, err := k.Check(t.Context())
			k.End(events.OutcomeOK, "") // has no effect any more
			var refused *RefusedError
			if !errors.As(err, &refused) || refused.Reason != want {
				t.Fatalf("%s: have %v, want %s", name, err, want)
			}
			closeNow(t, c)
			if _, e := only[*events.ToolCall](t, l); e.Outcome != events.OutcomeRefused || e.ErrorType != string(want) || e.Resolution == "" {
				t.Errorf("%s: the event is %+v", name, e)
			}
			text := err.Error()
			for _, other := range roster.Tools() {
				if other.Name != name && stdstrings.Contains(text, other.Name) {
					t.Errorf("%s: the text names %s: %s", name, other.Name, text)
				}
			}
			if !stdstrings.Contains(text, name) {
				t.Errorf("%s: the text does not name it: %s", name, text)
			}
			text = stdstrings.ReplaceAll(text, name, "NAME")
			if who, twice := texts[text]; twice && calls[who] != want {
				t.Errorf("%s and %s are told the same: %s", who, name, text)
			}
			texts[text] = name
		})
	}
	if len(texts) != 5 {
		t.Errorf("have %d texts: %v", len(texts), texts)
	}
}

func TestADisabledToolIsRefusedWithTheReasonUntilItsTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := knowing(t, nil, orderDocument(t))
		sw := disabled("")
		sw.Until = time.Now().Add(time.Minute)
		turn(c, sw, 1)
		_, err := order(c, `{"id":"x"}`).Check(t.Context())
		var refused *RefusedError
		if !errors.As(err, &refused) || !stdstrings.Contains(err.Error(), "disabled: 3 validation errors in a row, since "+sw.Since.UTC().Format(time.RFC3339)) {
			t.Errorf("have %v", err)
		}
		time.Sleep(time.Minute)
		if _, err := order(c, `{"id":"x"}`).Check(t.Context()); err != nil {
			t.Errorf("after its time: %v", err)
		}
		closeNow(t, c)
	})
}

func TestASwitchOfOneAgentRefusesThatAgentAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := knowing(t, func(c *Config) { c.Context.AgentName = "billing" }, orderDocument(t))
		turn(c, disabled("support"), 1)
		if _, err := order(c, `{"id":"x"}`).Check(t.Context()); err == nil {
			t.Error("the agent's call is allowed")
		}
		k := c.ToolCallStart(events.Context{}, "process_order", nil)
		k.ToolCall.Server = "shop"
		if _, err := k.Check(t.Context()); err != nil {
			t.Errorf("another agent: %v", err)
		}
		k.End(events.OutcomeOK, "")
		if _, err := k.Check(t.Context()); !errors.Is(err, ErrEnded) {
			t.Errorf("after the end: %v", err)
		}
		closeNow(t, c)
	})
}

func TestSwitchesCountForAWhileAfterNATSIsLost(t *testing.T) {
	for closed, late := range map[bool]Refusal{false: "", true: RefusalSwitchesUnknown} {
		synctest.Test(t, func(t *testing.T) {
			log, said := logged()
			c, _ := knowing(t, func(c *Config) { c.Log, c.FailClosed = log, closed }, orderDocument(t))
			turn(c, disabled(""), 1)
			c.unwatched(c.know.breaker, "tooltrail_breaker", errors.New("lost"))
			c.unwatched(c.know.breaker, "tooltrail_breaker", errors.New("still lost"))
			time.Sleep(c.cfg.SwitchesFor - time.Second)
			reasons := []Refusal{reasonOf(t, c), ""}
			time.Sleep(2 * time.Second)
			reasons[1] = reasonOf(t, c)
			reasonOf(t, c)
			if diff := cmp.Diff([]Refusal{RefusalDisabled, late}, reasons); diff != "" {
				t.Errorf("fails closed: %t (-want +have):\n%s", closed, diff)
			}
			if n := stdstrings.Count(said.String(), "level=WARN"); n != 2 {
				t.Errorf("%d warnings: %s", n, said)
			}
			c.know.breaker.known()
			if have := reasonOf(t, c); have != RefusalDisabled {
				t.Errorf("known again: %q", have)
			}
			closeNow(t, c)
		})
	}
}

// reasonOf makes a call and returns why it is refused.
func reasonOf(t *testing.T, c *Client) Refusal {
	t.Helper()
	_, err := order(c, `{"id":"x"}`).Check(t.Context())
	var refused *RefusedError
	if err != nil && !errors.As(err, &refused) {
		t.Fatal(err)
	}
	if refused == nil {
		return ""
	}
	return refused.Reason
}
