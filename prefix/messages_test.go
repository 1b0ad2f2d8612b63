package prefix

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// digest is a short digest of a number, as a message has one.
func digest(n int) string { return events.Digester{}.Short(fmt.Append(nil, n)) }

func TestAConversationOfAnyLengthFitsAnEventAndFindsItsPredecessor(t *testing.T) {
	const total = 30_000
	var m Messages
	var lists [][]string
	var lengths []int
	for i := range total {
		m.Append(digest(i))
		if i%foldMessages == 0 || i > maxMessages-3 && i < maxMessages+3 || i == total-1 {
			lists, lengths = append(lists, m.List()), append(lengths, i+1)
		}
	}
	for i, list := range lists {
		e := &events.Event{ID: "x", Source: "x", Time: t0, Data: &events.RequestPrefix{Messages: list, MessagesKnown: true}}
		if b, err := events.AppendEvent(nil, e); err != nil || len(b) > events.MaxEventBytes/20 {
			t.Errorf("%d messages: %d bytes, %v", lengths[i], len(b), err)
		}
		if i == 0 {
			continue
		}
		a, b := newTrail(lists[i-1]), newTrail(list)
		if b.len() != lengths[i] || !b.extends(a) || a.extends(b) {
			t.Errorf("%d messages do not extend %d", lengths[i], lengths[i-1])
		}
	}
	other := slices.Clone(lists[len(lists)-1])
	other[len(other)-2] = digest(-1)
	if newTrail(other).extends(newTrail(lists[len(lists)-2])) != true || newTrail(other).extends(newTrail(lists[len(lists)-1])) {
		t.Error("a branch at the end is not told from a continuation")
	}
}

func TestFoldedListsAreValidEvents(t *testing.T) {
	var m Messages
	for i := range maxMessages + 1 {
		m.Append(digest(i))
	}
	r := &events.RequestPrefix{Messages: m.List(), MessagesKnown: true, Status: events.StatusOK, StartTime: t0}
	e := &events.Event{ID: "0198a3c4-0000-7000-8000-000000000000", Source: "x", Time: t0, Data: r}
	if err := e.Validate(); err != nil {
		t.Error(err)
	}
}

func TestListsGivenOutNeverChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Messages
		var given, want [][]string
		var plain []string
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				n := rapid.IntRange(0, len(plain)).Draw(t, "keep")
				if !m.Truncate(n) {
					t.Fatal("a short list could not be cut")
				}
				plain = plain[:n:n]
			case 1:
				n := rapid.IntRange(0, len(plain)).Draw(t, "from")
				m.Compact(n, "summary")
				plain = append([]string{"summary"}, plain[n:]...)
			default:
				d := digest(rapid.IntRange(0, 5).Draw(t, "message"))
				m.Append(d)
				plain = append(plain, d)
			}
			given, want = append(given, m.List()), append(want, slices.Clone(plain))
		}
		for i := range given {
			if !slices.Equal(given[i], want[i]) || m.Len() != len(plain) {
				t.Fatalf("list %d is %v, want %v", i, given[i], want[i])
			}
		}
	})
}

func TestTruncateReportsWhatIsFolded(t *testing.T) {
	var m Messages
	for i := range maxMessages + 10 {
		m.Append(digest(i))
	}
	if m.Truncate(foldMessages-1) || m.Len() != maxMessages+10 {
		t.Error("cut inside the fold")
	}
	if !m.Truncate(foldMessages) || m.Len() != foldMessages || len(m.List()) != 1 {
		t.Errorf("%d messages in %d entries, want the fold alone", m.Len(), len(m.List()))
	}
	if m.Truncate(foldMessages + 1) {
		t.Error("cut behind the end")
	}
}

func TestATrailIsTheSameHoweverItWasMade(t *testing.T) {
	list := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		lists := rapid.SliceOfN(list, 1, 12).Draw(t, "lists")
		var ts trails
		var grown []*trail
		for _, l := range lists {
			grown = append(grown, ts.add(l))
		}
		for i, g := range grown {
			if alone := newTrail(lists[i]); !slices.Equal(g.sums, alone.sums) || !slices.Equal(g.list, lists[i]) {
				t.Fatalf("trail %d of %v is %v", i, lists[i], g.list)
			}
			for k, h := range grown {
				head := commonHead(lists[i], lists[k])
				if g.extends(h) != (head == len(lists[k])) || g.shared(h) != head {
					t.Fatalf("%v and %v: extends %v, shared %d", lists[i], lists[k], g.extends(h), g.shared(h))
				}
			}
		}
	})
}

func FuzzAnyFirstEntryIsRead(f *testing.F) {
	f.Add("chain:4096:00112233445566778899aabbccddeeff")
	f.Add("chain:-1:x")
	f.Fuzz(func(t *testing.T, first string) {
		n, _ := chainStart([]string{first})
		if tr := newTrail([]string{first, "x"}); n < 0 || tr.len() < 2 || !tr.extends(tr) {
			t.Errorf("%q stands for %d messages", first, n)
		}
	})
}
