package drift

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var noonOfSwitches = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func switchEdit(place Place) SwitchEdit {
	return SwitchEdit{Server: "shop", Tool: "order", By: "ada", Reason: "the schema is fixed", At: noonOfSwitches, Place: place}
}

func TestPlacesAreOrderedByEpochThenSequence(t *testing.T) {
	inOrder := []Place{{}, {Epoch: "", Seq: 7}, {Epoch: "9", Seq: 9}, {Epoch: "10"}, {Epoch: "10", Seq: 2}, {Epoch: "11", Seq: 1}}
	for i, p := range inOrder {
		for j, q := range inOrder {
			if got := p.Compare(q); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%v and %v compare as %d", p, q, got)
			}
		}
	}
}

func TestAnEditTakesTheStreamsPlaceWhateverTheSwitchHad(t *testing.T) {
	old := &Switch{Server: "shop", Tool: "order", State: SwitchDisabled, Epoch: "9", Seq: 40, Version: "v2", Conversations: []string{"c"}}
	got, err := Enable(old, switchEdit(Place{"9", 50}))
	want := &Switch{
		Server: "shop", Tool: "order", State: SwitchEnabled, Since: noonOfSwitches, By: "ada", Reason: "the schema is fixed", Epoch: "9", Seq: 50,
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	for _, poisoned := range []Place{{"9", 1 << 60}, {"99999999999999999999", 1}} {
		was := &Switch{Server: "shop", Tool: "order", State: SwitchDisabled, Epoch: poisoned.Epoch, Seq: poisoned.Seq}
		if got, err := Enable(was, switchEdit(Place{"9", 30})); err != nil || got.Place() != (Place{"9", 30}) {
			t.Errorf("%v stays: %+v, error %v", poisoned, got, err)
		}
	}
	if got, _ := Enable(old, switchEdit(Place{})); got.Place() != old.Place() {
		t.Errorf("an edit without a place: %+v", got)
	}
	if got, _ := Disable(nil, switchEdit(Place{"9", 50})); got.Seq != 50 || !got.Refuses(noonOfSwitches.AddDate(1, 0, 0)) {
		t.Errorf("disabled: %+v", got)
	}
}

func TestAnEditThatMissesSomethingIsRefused(t *testing.T) {
	for want, change := range map[string]func(*SwitchEdit){
		"no tool":        func(e *SwitchEdit) { e.Tool = "" },
		"nobody":         func(e *SwitchEdit) { e.By = "" },
		"no time":        func(e *SwitchEdit) { e.At = time.Time{} },
		"before it star": func(e *SwitchEdit) { e.Until = e.At },
	} {
		e := switchEdit(Place{})
		change(&e)
		if _, err := Disable(nil, e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestOneClientGetsTheProbeOnceItIsDue(t *testing.T) {
	due := noonOfSwitches.Add(time.Minute)
	s := &Switch{Tool: "order", State: SwitchDisabled, ProbeAfter: due}
	got := ClaimProbe(s, "client-1", due)
	if got == nil || got.State != SwitchProbing || got.ProbeBy != "client-1" || !got.ProbeAt.Equal(due) || s.State != SwitchDisabled {
		t.Errorf("claimed: %+v of %+v", got, s)
	}
	for name, s := range map[string]*Switch{
		"no switch":     nil,
		"not yet":       {Tool: "order", State: SwitchDisabled, ProbeAfter: due.Add(1)},
		"never":         {Tool: "order", State: SwitchDisabled},
		"another's":     got,
		"enabled":       {Tool: "order", State: SwitchEnabled, ProbeAfter: due},
		"over already ": {Tool: "order", State: SwitchDisabled, ProbeAfter: due, Until: due},
	} {
		if got := ClaimProbe(s, "client-2", due); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestSwitchesAreReadAsTheyWereWritten(t *testing.T) {
	want, err := Disable(nil, switchEdit(Place{"9", 50}))
	if err != nil {
		t.Fatal(err)
	}
	data, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeSwitch(data)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-written +read):\n%s", err, diff)
	}
	if s, err := DecodeSwitch(nil); s != nil || err != nil {
		t.Errorf("nothing is read as %v, %v", s, err)
	}
	for _, bad := range []string{`{`, `[]`, `{"state":"enabled"}`, `{"tool":"t","state":"off"}`, `{"tool":"t","state":"enabled","seq":-1}`} {
		if s, err := DecodeSwitch([]byte(bad)); err == nil {
			t.Errorf("%s is read as %v", bad, s)
		}
	}
}

func TestLongTextsAreCutBetweenCharacters(t *testing.T) {
	for _, s := range []string{strings.Repeat("ä", 400), strings.Repeat("a", 513)} {
		if got := clip(s); len(got) > maxSwitchText || !strings.HasSuffix(got, "...") || strings.ContainsRune(got, '\uFFFD') {
			t.Errorf("%d bytes: %q", len(got), got)
		}
	}
	if got := clip("short"); got != "short" {
		t.Error(got)
	}
}
