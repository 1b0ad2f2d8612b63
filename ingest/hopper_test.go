package ingest

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/events"
)

func testHopper(memory int64) *hopper {
	cfg := DefaultConfig()
	cfg.MaxRows, cfg.MaxAge = 10, time.Second
	return newHopper(cfg, newBudget(memory, prometheus.NewGauge(prometheus.GaugeOpts{Name: "x"})))
}

func put(h *hopper, seq uint64, size int) bool {
	return h.add(size, func(b *batch) {
		b.begin(message{seq: seq, delivered: seq, data: make([]byte, size), time: time.Now()})
		b.rows = append(b.rows, events.Row{Seq: seq})
	})
}

func TestABatchIsTakenWhenItIsOldEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testHopper(1 << 20)
		started := time.Now()
		go func() {
			time.Sleep(5 * time.Second)
			put(h, 1, 10)
			time.Sleep(400 * time.Millisecond)
			put(h, 2, 10)
		}()
		b, ok := h.take()
		if !ok || len(b.rows) != 2 || time.Since(started) != 6*time.Second {
			t.Errorf("took %d rows after %v", len(b.rows), time.Since(started))
		}
		h.close()
	})
}

func TestAFullBatchIsTakenAtOnceAndTheNextOneFillsMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testHopper(1 << 20)
		added := 0
		var adding sync.WaitGroup
		adding.Go(func() {
			for i := range uint64(40) {
				if !put(h, i+1, 10) {
					return
				}
				added++
			}
		})
		started := time.Now()
		b, _ := h.take()
		synctest.Wait()
		if len(b.rows) != 10 || added != 20 || time.Since(started) != 0 {
			t.Errorf("took %d rows after %v, %d were added", len(b.rows), time.Since(started), added)
		}
		if oldest, blocked := h.pending(); oldest.IsZero() || !blocked {
			t.Error("the next batch is full and waits")
		}
		h.done(b)
		h.close()
		adding.Wait()
	})
}

func TestACloseHandsOutWhatIsThereAndRefusesMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testHopper(1 << 20)
		put(h, 1, 10)
		h.close()
		if put(h, 2, 10) {
			t.Error("added after the close")
		}
		if b, ok := h.take(); !ok || len(b.rows) != 1 {
			t.Error("what was there is lost")
		}
		if _, ok := h.take(); ok {
			t.Error("took something from an empty closed hopper")
		}
	})
}

func TestLanesThatHoldAllMemoryLetTheirBatchesGoEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := testHopper(1000)
		b := newHopper(a.cfg, a.budget)
		put(a, 1, 120) // 480 of 1000
		put(b, 1, 120)
		started := time.Now()
		var more sync.WaitGroup
		more.Go(func() { put(a, 2, 120) })
		synctest.Wait()
		got, _ := a.take() // long before it is old
		a.done(got)
		more.Wait()
		if time.Since(started) != 0 {
			t.Errorf("waited %v", time.Since(started))
		}
		a.close()
		b.close()
	})
}

func TestAMessageLargerThanAllMemoryGoesThroughAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := testHopper(1000)
		if !put(h, 1, 5000) {
			t.Fatal("refused")
		}
		b, _ := h.take()
		if b.cost != 1000 {
			t.Errorf("it counts as %d", b.cost)
		}
		h.done(b)
		h.close()
	})
}
