package activation_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

func TestCallsThatNobodyLookedUpAreJudgedByTheirConversation(t *testing.T) {
	w := newWorld(t)
	w.come(story("c1")...)
	w.come(story("c2")...)
	w.come(event(1, "none", 1, bare("anything", ""))) // no roster
	w.come(event(1, "", 0, bare("WebSearch", "")))    // no conversation
	w.settle(activation.NewSettler(w, w))
	want := wantOfStories(2)
	want.Calls += 2
	if diff := cmp.Diff(want, w.outcome()); diff != "" {
		t.Error(diff)
	}
}

func TestEventsInAnyOrderComeToTheSameJudgments(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { inAnyOrder(t, seed) })
	}
}

func inAnyOrder(t *testing.T, seed uint64) {
	w := newWorld(t)
	all := append(story("c1"), story("c2")...)
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	s := activation.NewSettler(w, w)
	for i, chunk := range slices.Collect(slices.Chunk(all, 5)) {
		w.come(chunk...)
		if i%2 == 1 {
			s = activation.NewSettler(w, w) // another process
		}
		w.settle(s)
	}
	if diff := cmp.Diff(wantOfStories(2), w.outcome()); diff != "" {
		t.Error(diff)
	}
}

func TestAnAgentsRosterThatComesLateJudgesItsCalls(t *testing.T) {
	w := newWorld(t)
	s := activation.NewSettler(w, w)
	w.come(event(5, "c1", 1, bare("WebSearch", "")), event(6, "c2", 1, bare("web_search", "")), event(50, "c2", 9, bare("web_search", "")))
	w.settle(s)
	if o := w.outcome(); o.Judged != 0 {
		t.Errorf("%+v before a roster is known", o)
	}
	w.come(event(40, "", 0, listOf(activation.Tool{Name: "other"})))
	w.settle(s)
	w.come(event(1, "", 0, listOf(activation.Tool{Name: "web_search"})))
	w.settle(s)
	o := w.outcome()
	if o.Judged != 3 || o.Rules["guessed"] != 1 || o.Rules["unknown"] != 1 {
		t.Errorf("%+v", o)
	}
}

func TestASettlerThatIsKilledAnywhereJudgesAllOfIt(t *testing.T) {
	w := newWorld(t)
	for i := range 6 {
		w.come(story(fmt.Sprint("c", i))...)
		w.failAfter = i % 3
		if err := activation.NewSettler(w, w).Settle(t.Context(), atOnce()); i%3 < 2 && !errors.Is(err, errKilled) {
			t.Fatalf("killed after %d: %v", i%3, err)
		}
	}
	w.failAfter = -1
	w.settle(activation.NewSettler(w, w))
	if diff := cmp.Diff(wantOfStories(6), w.outcome()); diff != "" {
		t.Error(diff)
	}
}

func TestACallThatComesAgainWithAResolutionCountsOnce(t *testing.T) {
	for _, resolvedFirst := range []bool{false, true} {
		t.Run(fmt.Sprint("resolved first ", resolvedFirst), func(t *testing.T) { comesAgain(t, resolvedFirst) })
	}
}

func comesAgain(t *testing.T, resolvedFirst bool) {
	w := newWorld(t)
	s := activation.NewSettler(w, w)
	guess := event(1, "c", 1, bare("WebSearch", ""))
	again := *guess
	judged := *guess.Data.(*events.ToolCall)
	judged.Resolution, judged.ResolutionHow, judged.ResolvedName = events.ResolvedGuessed, activation.HowCase, "web_search"
	again.Data = &judged
	first, second := guess, &again
	if resolvedFirst {
		first, second = second, first
	}
	w.come(event(0, "c", 1, listOf(activation.Tool{Name: "web_search"})), first)
	w.settle(s)
	w.come(second)
	w.settle(s)
	w.come(guess)
	w.settle(s)
	if o := w.outcome(); o.Rules["guessed"] != 1 || o.Calls != 3 || o.Judged != 3 {
		t.Errorf("resolved first %t: %+v", resolvedFirst, o)
	}
}

func TestNothingNewIsJudgedTwice(t *testing.T) {
	w := newWorld(t)
	s := activation.NewSettler(w, w)
	w.come(story("c")...)
	w.settle(s)
	saved := w.saved
	w.settle(s)
	w.come(event(20, "c", 9, loadedBy(activationTool, "web_search")), event(21, "", 0, listOf(activation.Tool{Name: "x"})))
	w.settle(s)
	if saved == 0 || w.saved != saved {
		t.Errorf("kept %d rows, then %d more", saved, w.saved-saved)
	}
}

func TestCallsWaitForWhatTheyAreJudgedBy(t *testing.T) {
	w := newWorld(t)
	w.come(story("c")...)
	set := atOnce()
	set.JudgeAfter = time.Hour
	s := activation.NewSettler(w, w)
	if err := s.Settle(t.Context(), set); err != nil {
		t.Fatal(err)
	}
	if o := w.outcome(); o.Judged != 0 {
		t.Errorf("%d were judged before their time", o.Judged)
	}
	w.settle(s)
	if diff := cmp.Diff(wantOfStories(1), w.outcome()); diff != "" {
		t.Error(diff)
	}
}

func TestTwoSettlersAtOnceKeepTheSameJudgments(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.come(story(fmt.Sprint("c", i))...)
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if err := activation.NewSettler(w, w).Settle(t.Context(), atOnce()); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
	if diff := cmp.Diff(wantOfStories(5), w.outcome()); diff != "" {
		t.Error(diff)
	}
}

func TestOneMoreRequestHasOnlyTheLatestCallsJudgedAgain(t *testing.T) {
	w := newWorld(t)
	s := activation.NewSettler(w, w)
	request := func(at int, tools ...string) *events.Event {
		p := &events.RequestPrefix{ToolsKnown: true, StartTime: second(at), Status: events.StatusOK}
		for _, name := range tools {
			p.Tools = append(p.Tools, events.PrefixTool{Name: name, Digest: "00112233445566778899aabbccddeeff"})
		}
		return event(at, "loop", int64(at), p)
	}
	w.come(event(1, "loop", 1, listOf(activation.Tool{Name: "read"})))
	for i := 1; i <= 20; i++ {
		w.come(request(i*100, "read"), event(i*100, "loop", int64(i*100), bare("inline", "")))
	}
	w.settle(s)
	if o := w.outcome(); o.Rules["unknown"] != 20 {
		t.Errorf("%+v", o)
	}
	looked := w.looked
	w.come(request(2000, "read", "inline"))
	w.settle(s)
	if o := w.outcome(); o.Rules["unknown"] != 19 || w.looked-looked != 4 {
		t.Errorf("%d calls were judged again, %+v", w.looked-looked, o)
	}
}
