package activation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

// with is a roster of r and tools that are deferred.
func with(names ...string) *Roster {
	in := RosterInput{Tools: []Tool{{Name: "r"}}}
	for _, n := range names {
		in.Tools = append(in.Tools, Tool{Name: n, Deferred: true})
	}
	return NewRoster(in)
}

// denying is a roster in which a tool is denied.
func denying(name string) *Roster {
	return NewRoster(RosterInput{Tools: []Tool{{Name: "r"}, {Name: name, Denied: true}}})
}

func TestAToolThatARosterHadIsNotCallableOnceItIsLeftOut(t *testing.T) {
	loader := func(s *State) *Loader {
		l, err := NewLoader(s, Checks{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for what, happens := range map[string]func() *State{
		"asked for, gone before the next message": func() *State {
			s := NewState(with("x", "y"))
			loader(s).Load("x")
			s.SetRoster(with("y"))
			s.Step()
			return s
		},
		"asked for, denied, then left out": func() *State {
			s := NewState(with("x", "y"))
			loader(s).Load("x")
			s.SetRoster(denying("x"))
			s.Step()
			s.SetRoster(with("y"))
			return s
		},
		"loaded before there was a roster": func() *State {
			s := NewState(nil)
			s.Load("x")
			s.SetRoster(with("x"))
			s.SetRoster(with("y"))
			return s
		},
		"asked for before there was a roster": func() *State {
			s := NewState(nil)
			s.LoadNext("x")
			s.SetRoster(with("x"))
			s.SetRoster(with("y"))
			s.Step()
			return s
		},
		"found by a search, denied, then left out": func() *State {
			s := NewState(with())
			s.Load("x")
			s.SetRoster(denying("x"))
			for range maxFormer + 2 {
				s.SetRoster(with("y"))
				s.SetRoster(with("z"))
			}
			return s
		},
		"found by its former name": func() *State {
			s := NewState(with())
			s.Load("x")
			s.SetRoster(NewRoster(RosterInput{Tools: []Tool{{Name: "new_x", Denied: true}}, Renames: map[string]string{"x": "new_x"}}))
			return s
		},
	} {
		if no := happens().Refuse("x", nil); no == nil {
			t.Errorf("%s: it can be called", what)
		}
	}
}

func TestAToolThatASearchBringsAgainCanBeCalled(t *testing.T) {
	s := NewState(with("x"))
	s.Load("x")
	s.SetRoster(with("y"))
	s.Load("x")
	if no := s.Refuse("x", nil); no != nil {
		t.Error(no)
	}
}

func TestALoadIsOfOneServersTool(t *testing.T) {
	of := func(servers ...string) *Roster {
		var in RosterInput
		for _, s := range servers {
			in.Tools = append(in.Tools, Tool{Name: "search", Server: s, Deferred: true})
		}
		return NewRoster(in)
	}
	s := NewState(of("A"))
	l, err := NewLoader(s, Checks{Permitted: func(t Tool) bool { return t.Server != "B" }})
	if err != nil {
		t.Fatal(err)
	}
	l.Load("A/search")
	s.Step()
	for _, servers := range [][]string{{"B"}, {"A", "B"}, {"B", "A"}} {
		s.SetRoster(of(servers...))
		if no := s.Refuse("B/search", nil); no == nil || no.Reason != ReasonNotActivated {
			t.Errorf("of %v, B's is refused for %+v", servers, no)
		}
	}
	s.SetRoster(of("A"))
	l.Load("A/search")
	s.SetRoster(of("B"))
	s.Step()
	if no := s.Refuse("search", nil); no == nil || no.Reason != ReasonNotActivated {
		t.Errorf("asked for A's, B's is refused for %+v", no)
	}
}

func TestLoadingAndMentionsKeepServersOfOneNameApart(t *testing.T) {
	for _, order := range [][]string{{"A", "B"}, {"B", "A"}} {
		in := RosterInput{}
		for _, server := range order {
			in.Tools = append(in.Tools, Tool{Name: "search", Server: server, Deferred: true})
		}
		s := NewState(NewRoster(in))
		l, err := NewLoader(s, Checks{Permitted: func(t Tool) bool { return t.Server != "A" }})
		if err != nil {
			t.Fatal(err)
		}
		for _, server := range order {
			m, ok := s.Roster().Mention(server, 0)
			if !ok || len(m.Loaded) != 1 {
				t.Errorf("%v: mention of %s brings %+v", order, server, m)
			}
			l.Mention(m)
		}
		if no := s.Refuse("A/search", nil); no == nil {
			t.Errorf("%v: A's can be called", order)
		}
		if no := s.Refuse("B/search", nil); no != nil {
			t.Errorf("%v: B's: %v", order, no)
		}
	}
}

func TestWhatIsLoadedFollowsItsToolToANewName(t *testing.T) {
	renamed := func(server string) *Roster {
		return NewRoster(RosterInput{Tools: []Tool{{Name: "newn", Server: server, Deferred: true}}, Renames: map[string]string{"oldn": "newn"}})
	}
	for _, late := range []bool{false, true} {
		s := NewState(with("oldn"))
		l, err := NewLoader(s, Checks{})
		if err != nil {
			t.Fatal(err)
		}
		l.Load("oldn")
		if !late {
			s.Step()
		}
		s.SetRoster(renamed(""))
		s.Step()
		for _, name := range []string{"oldn", "newn"} {
			if no := s.Refuse(name, nil); no != nil {
				t.Errorf("%s: %v", name, no)
			}
		}
		s.Unload("oldn")
		s.SetRoster(renamed(""))
		if no := s.Refuse("newn", nil); no == nil || no.Reason != ReasonNotActivated {
			t.Errorf("taken back: %+v", no)
		}
	}
	s := NewState(with("oldn"))
	s.Load("oldn")
	s.SetRoster(renamed("another"))
	if no := s.Refuse("newn", nil); no == nil || no.Reason != ReasonNotActivated {
		t.Errorf("of another server: %+v", no)
	}
	s = NewState(renamed(""))
	s.Load("oldn")
	if got := s.Resolve("newn"); got.Resolution != events.ResolvedOK {
		t.Errorf("loaded by its former name: %+v", got)
	}
}

func TestWhatIsSavedIsReadOnceForEachTool(t *testing.T) {
	const tools = 20_000
	in := RosterInput{}
	var names []string
	for i := range tools {
		names = append(names, fmt.Sprintf("tool_%d", i))
		in.Tools = append(in.Tools, Tool{Name: names[i], Server: "s", Deferred: true})
	}
	s := NewState(NewRoster(in))
	l, err := NewLoader(s, Checks{})
	if err != nil {
		t.Fatal(err)
	}
	l.Load(names...)
	if n := testing.AllocsPerRun(1, func() { l.Saved() }); len(l.Saved()) != tools || n > 100 {
		t.Errorf("%d saved with %v allocations", len(l.Saved()), n)
	}
}

func TestANameThatNoToolHasIsCheapToMissAmongManyServers(t *testing.T) {
	in := RosterInput{}
	for i := range 2000 {
		in.Tools = append(in.Tools, Tool{Name: fmt.Sprint("t", i), Server: fmt.Sprint("server_", i)})
	}
	s := NewState(NewRoster(in))
	if n := testing.AllocsPerRun(2, func() { s.Resolve(strings.Repeat("ab_", 85)) }); n > 200 {
		t.Errorf("%v allocations", n)
	}
}
