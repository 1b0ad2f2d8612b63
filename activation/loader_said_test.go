package activation

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

func TestAToolWithoutAUsableDefinitionIsNotLoaded(t *testing.T) {
	r := NewRoster(RosterInput{Tools: []Tool{
		{Name: "broken", Deferred: true, Definition: jsontext.Value(`{"name":`)}, {Name: "none", Deferred: true},
		{Name: "good", Deferred: true, Definition: jsontext.Value(`{"name":"good"}`)},
	}})
	s := NewState(r)
	l, err := NewLoader(s, Checks{})
	if err != nil {
		t.Fatal(err)
	}
	got := l.Load("broken", "none", "good")
	want := "Loaded: good. It can be called from your next message on.\n" +
		"\"broken\" was not loaded: it has no definition that can be shown to you. Do without it.\n" +
		"\"none\" was not loaded: it has no definition that can be shown to you. Do without it."
	if got.Text() != want {
		t.Errorf("have %s", got.Text())
	}
	if e := got.Event(events.Context{}); len(e.Refused) != 2 || e.Refused[0].Reason != events.RefusedClientCapability {
		t.Errorf("told %+v", e.Refused)
	}
	if len(r.Array(got.Names...)) != len(got.Names) {
		t.Error("the array has not what was loaded")
	}
}

func TestTheAnswerToALoadSaysWhatANameMeans(t *testing.T) {
	r := NewRoster(RosterInput{
		Tools:   []Tool{{Name: "find_orders", Server: "shop", Deferred: true}, {Name: "pay", Server: "shop", Deferred: true}},
		Renames: map[string]string{"fetch_order": "find_orders"},
	})
	for want, asked := range map[string][]string{
		"Loaded: find_orders, pay. They can be called from your next message on.\n\"fetch_order\" is find_orders: call it by that name.": {"fetch_order", "pay"},
		"Loaded: pay. It can be called from your next message on.\n\"shop/pay\" is pay: call it by that name.":                           {"shop/pay"},
	} {
		l, err := NewLoader(NewState(r), Checks{})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Load(asked...); got.Text() != want {
			t.Errorf("%v: %s", asked, got.Text())
		}
	}
}

func TestAMentionSaysWhatItBroughtForAnyNumber(t *testing.T) {
	for want, m := range map[string]Mention{
		"There is no connected server of that name: nothing was loaded.": {},
		"shop has no tools that can be loaded.":                          {Server: "shop"},
		"Loaded the one tool of shop.":                                   {Server: "shop", Loaded: []string{"a"}},
		"Loaded all tools of shop: 2.":                                   {Server: "shop", Loaded: []string{"a", "b"}},
		"Loaded 2 of the 3 tools of shop, the first by name; the other one is in the list of tools: load it by name.":  {Server: "shop", Loaded: []string{"a", "b"}, Rest: []string{"c"}},
		"Loaded 1 of the 3 tools of shop, the first by name; the other 2 are in the list of tools: load them by name.": {Server: "shop", Loaded: []string{"a"}, Rest: []string{"b", "c"}},
	} {
		if got := m.String(); got != want {
			t.Errorf("have %q, want %q", got, want)
		}
	}
}
