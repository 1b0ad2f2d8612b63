package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

func aChange(tool string, revision uint64) events.ToolChange {
	return events.ToolChange{
		Bucket: "tooltrail_registry", Epoch: "1764000000000000000", Key: "web." + tool, Revision: revision,
		At: noon.Add(time.Duration(revision) * time.Minute), Server: "web", Tool: tool, Action: "activate", Version: "v2", ChangedBy: "ada",
		Reason: "it works", Document: `{"tool":"` + tool + `"}`,
	}
}

func saveChanges(t *testing.T, db *DB, changes ...events.ToolChange) {
	t.Helper()
	if err := db.SaveToolChanges(t.Context(), changes); err != nil {
		t.Fatal(err)
	}
}

func TestAChangeOfAToolComesBackAsItWasSavedHoweverOften(t *testing.T) {
	db := open(t)
	want := aChange("search", 7)
	want.Agent = "support"
	saveChanges(t, db)
	for range 3 {
		saveChanges(t, db, want)
	}
	got, err := db.ToolChanges(t.Context(), ToolChangeFilter{Documents: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]events.ToolChange{want}, got); diff != "" {
		t.Errorf("(-saved +read):\n%s", diff)
	}
}

func TestTheSameRevisionOfANewBucketIsAnotherChange(t *testing.T) {
	db := open(t)
	old, recreated := aChange("search", 1), aChange("search", 1)
	recreated.Epoch = "1764000000000000001"
	saveChanges(t, db, old, recreated)
	if got, err := db.ToolChanges(t.Context(), ToolChangeFilter{}); err != nil || len(got) != 2 {
		t.Errorf("%d changes, %v, want 2", len(got), err)
	}
}

func TestChangesAreFilteredAndTheNewestComeFirst(t *testing.T) {
	db := open(t)
	own := aChange("search", 3)
	own.Server, own.Key, own.Document = "", "=.search", ""
	switched := aChange("fetch", 2)
	switched.Bucket, switched.Agent, switched.Action = "tooltrail_breaker", "support", "disabled"
	saveChanges(t, db, aChange("search", 1), switched, own, aChange("fetch", 4))
	web, none := "web", ""
	for name, c := range map[string]struct {
		f    ToolChangeFilter
		want []uint64
	}{
		"all":        {ToolChangeFilter{}, []uint64{4, 3, 2, 1}},
		"limit":      {ToolChangeFilter{Limit: 2}, []uint64{4, 3}},
		"bucket":     {ToolChangeFilter{Bucket: "tooltrail_breaker"}, []uint64{2}},
		"server":     {ToolChangeFilter{Server: &web}, []uint64{4, 2, 1}},
		"no server":  {ToolChangeFilter{Server: &none}, []uint64{3}},
		"tool":       {ToolChangeFilter{Server: &web, Tool: "search"}, []uint64{1}},
		"agent":      {ToolChangeFilter{Agent: "support"}, []uint64{2}},
		"window":     {ToolChangeFilter{Window: finding.Window{From: noon.Add(2 * time.Minute), To: noon.Add(4 * time.Minute)}}, []uint64{3, 2}},
		"other tool": {ToolChangeFilter{Tool: "none"}, nil},
	} {
		got, err := db.ToolChanges(t.Context(), c.f)
		if err != nil {
			t.Fatal(err)
		}
		var revisions []uint64
		for _, change := range got {
			revisions = append(revisions, change.Revision)
			if change.Document != "" {
				t.Errorf("%s: a document that nobody asked for", name)
			}
		}
		if diff := cmp.Diff(c.want, revisions); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
