package progress_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/progress"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

const detector = "test"

var calls, rosters = "1/" + events.Subject(0, events.KindToolCall), "1/" + events.Subject(0, events.KindToolRoster)

// keeper keeps progress in the store, unless it is told to fail.
type keeper struct {
	*store.DB
	err error
}

func (k *keeper) SaveProgress(ctx context.Context, detector string, rules uint64, at map[string]uint64) error {
	if k.err != nil {
		return k.err
	}
	return k.DB.SaveProgress(ctx, detector, rules, at)
}

// opened returns a store in whose lanes stand two calls, stored one after the other, and a roster.
func opened(t *testing.T) (*store.DB, *storetest.Lanes) {
	t.Helper()
	addr, database := enginetest.Database(t)
	db := storetest.Open(t, addr, database)
	lanes := storetest.NewLanes(db)
	lanes.Insert(t, event(&events.ToolCall{}))
	lanes.Insert(t, event(&events.ToolCall{}), event(&events.ToolRoster{}))
	return db, lanes
}

func event(data events.Data) *events.Event {
	return &events.Event{ID: uuid.NewString(), Time: time.Now().UTC(), Data: data}
}

func begun(t *testing.T, p *progress.Progress, db *store.DB, rules uint64) (at map[string]uint64, anew bool) {
	t.Helper()
	lanes, err := progress.Lanes(t.Context(), db, "tool_calls", "tool_rosters", "tool_definitions")
	if err != nil {
		t.Fatal(err)
	}
	if anew, err = p.Begin(t.Context(), lanes, rules, "tool_calls", 0); err != nil {
		t.Fatal(err)
	}
	return p.All(), anew
}

func same(t *testing.T, what string, got, want map[string]uint64) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestTheFirstLookGoesSoFarBackAsItIsTold(t *testing.T) {
	db, _ := opened(t)
	at, anew := begun(t, progress.New(db, &keeper{DB: db}, detector), db, 1)
	same(t, "the newest call, and of rosters only what is to come", at, map[string]uint64{calls: 1, rosters: 1})
	if !anew {
		t.Error("rules of the first look are not said to be new")
	}
}

func TestAnotherProcessGoesOnWhereTheFirstEnded(t *testing.T) {
	db, _ := opened(t)
	p := progress.New(db, &keeper{DB: db}, detector)
	begun(t, p, db, 1)
	note(t, p, map[string]uint64{calls: 2})
	next := progress.New(db, &keeper{DB: db}, detector)
	at, _ := begun(t, next, db, 1)
	same(t, "as was noted, the lane too of which nothing was judged", at, map[string]uint64{calls: 2, rosters: 1})
	if _, anew := begun(t, next, db, 1); anew {
		t.Error("the same rules are said to be new")
	}
	at, anew := begun(t, next, db, 2)
	same(t, "other rules begin anew", at, map[string]uint64{calls: 1, rosters: 1})
	if !anew {
		t.Error("other rules are not said to be new")
	}
	other, err := progress.Kept(t.Context(), db, "another", 1)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "another detector", other, map[string]uint64{})
}

func TestWhatCouldNotBeNotedIsJudgedAgain(t *testing.T) {
	db, _ := opened(t)
	k := &keeper{DB: db}
	p := progress.New(db, k, detector)
	first, _ := begun(t, p, db, 1)
	k.err = errors.New("no room")
	if err := p.Note(t.Context(), map[string]uint64{calls: 2}); !errors.Is(err, k.err) {
		t.Fatalf("said %v", err)
	}
	at, _ := begun(t, p, db, 1)
	same(t, "from where it was", at, first)
}

func TestALaneThatComesLaterIsJudgedWhole(t *testing.T) {
	db, lanes := opened(t)
	p := progress.New(db, &keeper{DB: db}, detector)
	begun(t, p, db, 1)
	note(t, p, map[string]uint64{calls: 2})
	lanes.Insert(t, event(&events.ToolDefinition{}))
	at, _ := begun(t, p, db, 1)
	same(t, "all of it is new", at, map[string]uint64{calls: 2, rosters: 1, "1/" + events.Subject(0, events.KindToolDefinition): 0})
}

func note(t *testing.T, p *progress.Progress, next map[string]uint64) {
	t.Helper()
	if err := p.Note(t.Context(), next); err != nil {
		t.Fatal(err)
	}
}
