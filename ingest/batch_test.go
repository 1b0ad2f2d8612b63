package ingest

import (
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// batchOf makes rows of messages with so many rows each.
func batchOf(sizes []int) *batch {
	b := &batch{}
	for m, n := range sizes {
		for pos := range n {
			b.rows = append(b.rows, events.Row{Seq: uint64(m + 1), Pos: uint32(pos)})
			b.ids = append(b.ids, uuid.New())
		}
	}
	return b
}

func TestHalvesCutBetweenMessagesAndKeepEveryRow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := batchOf(rapid.SliceOfN(rapid.IntRange(1, 5), 1, 20).Draw(t, "sizes"))
		left, right, ok := b.halves()
		if one := b.rows[0].Seq == b.high(); ok == one {
			t.Fatalf("%d messages: halves says %v", b.high(), ok)
		}
		if !ok {
			return
		}
		if len(left.rows) == 0 || len(right.rows) == 0 || len(left.rows)+len(right.rows) != len(b.rows) {
			t.Fatalf("%d rows became %d and %d", len(b.rows), len(left.rows), len(right.rows))
		}
		if left.high() >= right.rows[0].Seq {
			t.Fatalf("message %d is in both halves", left.high())
		}
		if left.ids[0] != b.ids[0] || right.ids[len(right.ids)-1] != b.ids[len(b.ids)-1] || len(left.ids) != len(left.rows) {
			t.Fatal("ids and rows parted")
		}
	})
}

func TestABatchIsEmptyAfterReset(t *testing.T) {
	b := batchOf([]int{3, 2})
	b.begin(message{data: []byte("x"), seq: 7, delivered: 3})
	b.hurry = true
	b.reset()
	if len(b.rows) != 0 || len(b.ids) != 0 || b.messages != 0 || b.last != 0 || b.hurry {
		t.Errorf("%+v", b)
	}
}

// A model: a set of claimed ids and a queue of the stored ones.
func TestRecentKnowsWhatIsOnItsWayAndTheNewestStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 8
		r := newRecent(limit)
		var stored []uuid.UUID
		known := make(map[uuid.UUID]bool)
		var claimed []uuid.UUID
		ids := make([]uuid.UUID, 20)
		for i := range ids {
			ids[i] = uuid.NewSHA1(uuid.NameSpaceOID, []byte{byte(i)})
		}
		settle := func() {
			for _, id := range claimed {
				stored = append(stored, id)
				if len(stored) > limit {
					delete(known, stored[0])
					stored = stored[1:]
				}
			}
			claimed = nil
		}
		t.Repeat(map[string]func(*rapid.T){
			"claim": func(t *rapid.T) {
				id := rapid.SampledFrom(ids).Draw(t, "id")
				if got := r.claim(id); got == known[id] {
					t.Fatalf("claim says %v of an id that is known: %v", got, known[id])
				} else if got {
					known[id] = true
					claimed = append(claimed, id)
				}
			},
			"keep": func(*rapid.T) { r.keep(claimed); settle() },
			"release": func(*rapid.T) {
				r.release(claimed)
				for _, id := range claimed {
					delete(known, id)
				}
				claimed = nil
			},
			"": func(t *rapid.T) {
				if len(r.seen) != len(known) || len(r.ring) > limit {
					t.Fatalf("%d known, want %d; %d in the ring", len(r.seen), len(known), len(r.ring))
				}
			},
		})
	})
}

func TestRecentLoadsNewestFirst(t *testing.T) {
	r := newRecent(2)
	a, b, c := uuid.New(), uuid.New(), uuid.New()
	r.load([]uuid.UUID{b, a}) // b is newer
	r.claim(c)
	r.keep([]uuid.UUID{c}) // forgets a, the oldest
	if !r.claim(a) || r.claim(b) || r.claim(c) {
		t.Error("the oldest id must be forgotten first")
	}
}

func TestRecentOfNothingKeepsNothing(t *testing.T) {
	r := newRecent(0)
	id := uuid.New()
	if !r.claim(id) || r.claim(id) {
		t.Fatal("within a batch an id counts once")
	}
	r.keep([]uuid.UUID{id})
	if !r.claim(id) {
		t.Error("a stored id is kept")
	}
}
