package prefix_test

import (
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestARecordingIsJudgedAsWhatIsStored(t *testing.T) {
	all, _ := readSample(t)
	db := openStore(t)
	storetest.Insert(t, db, all)
	var rec prefix.Recording
	for range 2 { // what comes twice counts once
		for _, e := range all {
			rec.Add(e)
		}
	}
	settings := prefix.DefaultSettings()
	known, err := prefix.ReadKnown(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(known, rec.Known()); d != "" {
		t.Fatalf("known tools (-stored +recorded):\n%s", d)
	}
	stored := settings
	stored.Known = known
	conversations := rec.Conversations(settings.MaxGroup)
	for i := range conversations {
		c := &conversations[i]
		reqs, happenings, err := prefix.ReadConversation(t.Context(), db, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if d := gocmp.Diff(happenings, c.Happenings, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: happenings (-stored +recorded):\n%s", c.ID, d)
		}
		if d := gocmp.Diff(prefix.Judge(reqs, stored, happenings...), rec.Judge(c, settings), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: verdicts (-stored +recorded):\n%s", c.ID, d)
		}
	}
	if len(conversations) < 10 {
		t.Errorf("%d conversations", len(conversations))
	}
}

func TestARecordingTellsRostersAsTheStoreDoes(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	var rec prefix.Recording
	add := func(id string, minute int, d events.Data) {
		rec.Add(&events.Event{ID: id, Time: at.Add(time.Duration(minute) * time.Minute), Data: d})
	}
	roster := func(conversation, server string, reason events.RosterReason, away ...string) *events.ToolRoster {
		r := &events.ToolRoster{Reason: reason, Server: server, NotConnected: away, RosterDigest: "r1"}
		r.ConversationID = conversation
		r.Tools = []events.RosterTool{{Name: "get", WireDigest: "w", DefinitionDigest: "d", Deferred: true}}
		return r
	}
	request := &events.RequestPrefix{StartTime: at}
	request.ConversationID = "c"
	add("1", 0, request)
	add("2", 3, roster("c", "", events.RosterUnknown, "mail")) // comes before the next, though it happened later
	add("3", 1, roster("c", "", events.RosterDeploy))
	add("4", 2, roster("", "shop", events.RosterListChanged))
	add("5", 2, roster("", "shop", events.RosterUnknown)) // a server's first list tells nothing
	add("6", 2, &events.RequestPrefix{StartTime: at})
	add("7", 2, &events.RequestPrefix{StartTime: at})

	got := rec.Conversations(1)
	kinds := []string{}
	for _, h := range got[0].Happenings {
		kinds = append(kinds, string(h.Kind))
	}
	if want := []string{"deploy", "connection", "list_changed"}; !slices.Equal(kinds, want) {
		t.Errorf("happenings %v, want %v", kinds, want)
	}
	if len(got) != 3 || got[0].ID != "c" || len(got[1].Requests) != 1 || len(got[2].Happenings) != 1 {
		t.Errorf("conversations %+v", got)
	}
	if k := rec.Known(); k.Definitions["w"] != "d" || !k.Deferred["r1"]["get"] {
		t.Errorf("known %+v", k)
	}
}
