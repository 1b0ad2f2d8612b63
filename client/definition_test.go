package client

import (
	"errors"
	"strconv"
	stdstrings "strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// shows looks the tool up in a conversation and says version, cohort and whether it is the canary.
func shows(t *testing.T, c *Client, conversation string) string {
	t.Helper()
	d, err := c.Definition(orders, conversation)
	if err != nil {
		t.Fatal(err)
	}
	text := d.Version
	if d.Cohort != "" {
		text += " " + d.Cohort
	}
	if d.Canary {
		text += "!"
	}
	return text
}

// chosen returns a conversation that a canary chooses, and one that it does not.
func chosen(c *drift.Canary) (in, out string) {
	for i := 0; in == "" || out == ""; i++ {
		if id := "c" + strconv.Itoa(i); c.Chooses(id) {
			in = id
		} else {
			out = id
		}
	}
	return in, out
}

// onTrial has v1 active and v2 on trial with half of the conversations.
func onTrial(t *testing.T) *drift.Document {
	t.Helper()
	d := drift.NewDocument(orders)
	register(t, d, "v1", orderV1, drift.StateActive)
	register(t, d, "v2", orderV2, drift.StateLegacy)
	changed, err := d.StartCanary("v2", 0.5, "key", edit())
	edited(t, changed, err)
	return d
}

func TestAConversationKeepsTheVersionThatItSawFirst(t *testing.T) {
	before := drift.NewDocument(orders)
	register(t, before, "v1", orderV1, drift.StateActive)
	during := onTrial(t)
	in, out := chosen(during.Canary)
	aborted, promoted := during.Clone(), during.Clone()
	changed, err := aborted.AbortCanary(edit())
	edited(t, changed, err)
	changed, err = promoted.PromoteCanary(edit())
	edited(t, changed, err)
	retired := promoted.Clone()
	changed, err = retired.Retire("v1", edit())
	edited(t, changed, err)
	for name, tt := range map[string]struct {
		docs    []*drift.Document
		in, out []string
	}{
		"a trial that begins later":  {[]*drift.Document{before, during, promoted}, []string{"v1", "v1", "v1"}, []string{"v1", "v1 baseline", "v1"}},
		"a trial that is promoted":   {[]*drift.Document{during, promoted, retired}, []string{"v2 canary!", "v2", "v2"}, []string{"v1 baseline", "v1", "v2"}},
		"a trial that is aborted":    {[]*drift.Document{during, aborted}, []string{"v2 canary!", "v1"}, []string{"v1 baseline", "v1"}},
		"a version that is retired":  {[]*drift.Document{before, promoted, retired}, []string{"v1", "v1", "v2"}, []string{"v1", "v1", "v2"}},
		"a trial that is all it saw": {[]*drift.Document{during, during}, []string{"v2 canary!", "v2 canary!"}, []string{"v1 baseline", "v1 baseline"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := knowing(t, nil)
				var haveIn, haveOut []string
				for _, d := range tt.docs {
					learn(t, c, d)
					haveIn, haveOut = append(haveIn, shows(t, c, in)), append(haveOut, shows(t, c, out))
				}
				if diff := cmp.Diff([][]string{tt.in, tt.out}, [][]string{haveIn, haveOut}); diff != "" {
					t.Errorf("(-want +have):\n%s", diff)
				}
				closeNow(t, c)
			})
		})
	}
}

func TestCallsOfTheCanaryAreJudgedByItsVersionAndOthersAreNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		doc := onTrial(t)
		in, out := chosen(doc.Canary)
		c, _ := knowing(t, nil)
		before := drift.NewDocument(orders)
		register(t, before, "v1", orderV1, drift.StateActive)
		learn(t, c, before)
		early := in + "-early"
		for i := 0; !doc.Canary.Chooses(early); i++ {
			early = "early-" + strconv.Itoa(i)
		}
		shows(t, c, early) // sees v1 before the trial begins
		learn(t, c, doc)
		for conversation, want := range map[string]string{in: "v2 current canary", out: "v1 validation_error baseline", early: "v1 validation_error "} {
			k := c.ToolCallStart(events.Context{ConversationID: conversation}, "process_order", []byte(`{"id":"x","quantity":1,"unit":5}`))
			if conversation == in {
				k = c.ToolCallStart(events.Context{ConversationID: conversation}, "process_order", []byte(`{"id":"x","quantity":1}`))
			}
			k.ToolCall.Server = "shop"
			d, err := k.Check(t.Context())
			if have := d.Verdict.Active + " " + string(d.Verdict.Class) + " " + d.Cohort; err != nil || have != want || k.ToolCall.Cohort != d.Cohort {
				t.Errorf("%s: have %s, %v, want %s", conversation, have, err, want)
			}
		}
		closeNow(t, c)
	})
}

func TestSeveralDefinitionsComeInOrderWithoutThoseThatAreNotThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := knowing(t, nil, orderDocument(t))
		all, err := c.Definitions("c1", drift.Key{Tool: "a"}, orders, drift.Key{Tool: "b"})
		if len(all) != 1 || all[0].Tool != orders || !errors.Is(err, ErrNotRegistered) || stdstrings.Count(err.Error(), "not registered") != 2 {
			t.Errorf("have %v, %v", all, err)
		}
		var none *Client
		if _, err := none.Definition(orders, ""); !errors.Is(err, ErrNotStarted) {
			t.Errorf("have %v", err)
		}
		closeNow(t, c)
	})
}

func TestTheMemoryOfWhatWasShownIsBoundedAndKeepsTheYoungest(t *testing.T) {
	var s sights
	at := func(i int) seat { return seat{orders, strconv.Itoa(i)} }
	const n = 5 * maxSights
	for i := range n {
		s.set(at(i), sight{version: strconv.Itoa(i)})
		if v, ok := s.get(at(0)); !ok || v.version != "0" { // one that is asked for stays
			t.Fatalf("after %d others the first is gone", i)
		}
	}
	if held := len(s.young) + len(s.old); held > 2*maxSights {
		t.Errorf("%d are held", held)
	}
	for i := n - maxSights; i < n; i++ {
		if v, ok := s.get(at(i)); !ok || v.version != strconv.Itoa(i) {
			t.Fatalf("%d is gone", i)
		}
	}
	if _, ok := s.get(at(1)); ok {
		t.Error("the oldest is still there")
	}
}

func TestWhatTheBucketsHoldIsTakenAndWhatIsBrokenLeavesWhatWasThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, said := logged()
		c, _ := fake(t, func(c *Config) { c.Log = log }, nil)
		w, b := documentWatch{c.know}, switchWatch{c.know}
		raw, err := orderDocument(t).Encode()
		if err != nil {
			t.Fatal(err)
		}
		sw := disabled("")
		off, err := sw.Encode()
		if err != nil {
			t.Fatal(err)
		}
		const key = "shop.process_order"
		w.Whole([]stream.Entry{{Key: key, Value: raw, Revision: 1}, {Key: "shop.other", Value: raw, Revision: 2}, {Key: "_own", Value: raw}, {Key: "shop.gone", Deleted: true}})
		b.Whole([]stream.Entry{{Key: key, Value: off, Revision: 1}, {Key: "_checkpoint", Value: []byte("{}")}, {Key: "shop.other", Value: off, Revision: 2}})
		state := func() string {
			version := "-"
			if d, err := c.Definition(orders, ""); err == nil {
				version = d.Version
			}
			return version + " " + string(reasonOf(t, c))
		}
		for _, step := range []struct {
			what string
			do   func()
			want string
		}{
			{"at first", func() {}, "v2 disabled"},
			{"broken values", func() {
				w.Changed(stream.Entry{Key: key, Value: []byte("{"), Revision: 3})
				b.Changed(stream.Entry{Key: key, Value: []byte("{"), Revision: 3})
			}, "v2 disabled"},
			{"an older switch", func() {
				b.Changed(stream.Entry{Key: key, Value: []byte(`{"server":"shop","tool":"process_order","state":"enabled"}`), Revision: 1})
			}, "v2 disabled"},
			{"broken values in a bucket read anew", func() {
				w.Whole([]stream.Entry{{Key: key, Value: []byte("{"), Revision: 3}})
				b.Whole([]stream.Entry{{Key: key, Value: []byte("{"), Revision: 3}})
			}, "v2 disabled"},
			{"deleted keys", func() {
				w.Changed(stream.Entry{Key: key, Deleted: true, Revision: 4})
				b.Changed(stream.Entry{Key: key, Deleted: true, Revision: 4})
			}, "- "},
			{"a bucket made anew", func() {
				w.Whole([]stream.Entry{{Key: key, Value: raw, Revision: 1}})
				b.Whole([]stream.Entry{{Key: key, Value: off, Revision: 1}})
			}, "v2 disabled"},
			{"an empty bucket", func() { w.Whole(nil); b.Whole(nil) }, "- "},
		} {
			step.do()
			if have := state(); have != step.want {
				t.Errorf("%s: have %q, want %q", step.what, have, step.want)
			}
		}
		if _, err := c.Definition(drift.Key{Server: "shop", Tool: "other"}, ""); !errors.Is(err, ErrNotRegistered) {
			t.Errorf("a document of another key: %v", err)
		}
		if n := stdstrings.Count(said.String(), "level=WARN"); n == 0 || stdstrings.Contains(said.String(), "quantity") {
			t.Errorf("the log says %s", said)
		}
		closeNow(t, c)
	})
}
