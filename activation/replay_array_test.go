package activation_test

import (
	"testing"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// arrayAt is a request's tools array, told of as the client does.
func arrayAt(m activation.Moment, tools ...activation.Tool) activation.RosterAt {
	at := rosterAt(m, tools...)
	at.Digest, at.Array = "array", true
	return at
}

func TestARequestsToolsArrayStandsBesideTheRosterThatATextShows(t *testing.T) {
	var r activation.Replay
	array := []activation.Tool{{Name: "load_tools"}}
	r.AddRoster(rosterAt(turn(1, 1), deferred("edit_file"), deferred("find_file"), array[0]))
	r.AddRoster(arrayAt(turn(1, 2), array...))
	r.AddRequest(turn(1, 3), []string{"load_tools"}, "array")
	r.AddActivation(turn(2, 10), loadedBy(activationTool, "find_file"))
	for name, want := range map[string]events.Resolution{
		"edit_file": events.ResolvedNotActivated, "find_file": events.ResolvedOK, "load_tools": events.ResolvedOK, "editFile": events.ResolvedGuessed,
	} {
		if got := r.Judge(&activation.ReplayCall{Moment: turn(3, 20), Name: name}, nil); got.Resolution.Resolution != want {
			t.Errorf("%s is %s, want %s", name, got.Resolution.Resolution, want)
		}
	}
}

func TestAToolsArrayAloneIsTheRoster(t *testing.T) {
	var r activation.Replay
	r.AddRoster(arrayAt(turn(1, 1), activation.Tool{Name: "a"}))
	r.AddRoster(arrayAt(turn(2, 5), activation.Tool{Name: "a"}, activation.Tool{Name: "b"}))
	for name, want := range map[string]events.Resolution{"b": events.ResolvedOK, "c": events.ResolvedUnknown} {
		if got := r.Judge(&activation.ReplayCall{Moment: turn(3, 20), Name: name}, nil); got.Resolution.Resolution != want {
			t.Errorf("%s is %s, want %s", name, got.Resolution.Resolution, want)
		}
	}
	if activation.IsArray(&events.ToolRoster{Reason: events.RosterPermission}) || activation.IsArray(&events.ToolRoster{Reason: events.RosterUnknown, TextDigest: "x"}) {
		t.Error("a roster that was shown, or that changed for a reason, is taken for an array")
	}
}

func TestAToolThatAnArrayOffersCanBeCalledThoughNoTextShowsIt(t *testing.T) {
	var r activation.Replay
	r.AddRoster(rosterAt(turn(1, 1), activation.Tool{Name: "a"}))
	r.AddRoster(arrayAt(turn(2, 5), activation.Tool{Name: "a"}, activation.Tool{Name: "b"}))
	for name, want := range map[string]events.Resolution{"a": events.ResolvedOK, "b": events.ResolvedOK, "c": events.ResolvedUnknown} {
		if got := r.Judge(&activation.ReplayCall{Moment: turn(3, 20), Name: name}, nil); got.Resolution.Resolution != want {
			t.Errorf("%s is %s, want %s", name, got.Resolution.Resolution, want)
		}
	}
}

func TestAToolsArrayOfAConversationStandsBesideTheTextOfItsAgent(t *testing.T) {
	var r activation.Replay
	var agent activation.RosterLine
	agent.Add(rosterAt(turn(0, 0), deferred("edit_file"), deferred("find_file")))
	r.AddRoster(arrayAt(turn(1, 2), activation.Tool{Name: "load_tools"}))
	r.AddRequest(turn(1, 3), []string{"load_tools"}, "array")
	r.AddActivation(turn(2, 10), loadedBy(activationTool, "find_file"))
	for name, want := range map[string]events.Resolution{
		"edit_file": events.ResolvedNotActivated, "find_file": events.ResolvedOK, "load_tools": events.ResolvedOK, "editFile": events.ResolvedGuessed,
	} {
		if got := r.Judge(&activation.ReplayCall{Moment: turn(3, 20), Name: name}, &agent); got.Resolution.Resolution != want {
			t.Errorf("%s is %s, want %s", name, got.Resolution.Resolution, want)
		}
	}
}
