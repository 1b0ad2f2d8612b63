package ingest

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"
)

// costFactor is how many bytes of memory a byte of a message takes, decoded and on its way into the store, by measure.
const costFactor = 4

// budget is the memory that batches of all lanes may take.
type budget struct {
	free *semaphore.Weighted
	size int64
	used prometheus.Gauge
}

func newBudget(size int64, used prometheus.Gauge) *budget {
	return &budget{semaphore.NewWeighted(size), size, used}
}

// tryTake takes n bytes when they are free; take waits for them.
func (b *budget) tryTake(n int64) bool {
	ok := b.free.TryAcquire(n)
	if ok {
		b.used.Add(float64(n))
	}
	return ok
}

func (b *budget) take(ctx context.Context, n int64) bool {
	if b.free.Acquire(ctx, n) != nil {
		return false
	}
	b.used.Add(float64(n))
	return true
}

func (b *budget) give(n int64) {
	b.used.Sub(float64(n))
	b.free.Release(n)
}

// cost is what a message of n bytes takes; one that is larger than the whole budget takes all of it.
func (b *budget) cost(n int) int64 { return min(costFactor*int64(n), b.size) }

// hopper sits between the consumer, which adds messages to the batch in hand, and the writer, which takes it away. While the
// writer stores one batch the next one fills; then adding blocks, the consumer asks for no more, and the backlog stays in
// the stream.
type hopper struct {
	cfg    Config
	budget *budget

	mu     sync.Mutex
	batch  *batch
	spare  *batch
	closed bool

	changed chan struct{} // tells take to look again
	space   chan struct{} // tells add to look again
	closing context.Context
	end     context.CancelFunc
}

func newHopper(cfg Config, budget *budget) *hopper {
	h := &hopper{cfg: cfg, budget: budget, batch: &batch{}, changed: make(chan struct{}, 1), space: make(chan struct{}, 1)}
	h.closing, h.end = context.WithCancel(context.Background())
	return h
}

// add lets read put a message of size bytes into the batch, as soon as there is room. It returns false when h was closed.
func (h *hopper) add(size int, read func(*batch)) bool {
	cost := h.budget.cost(size)
	if !h.reserve(cost) {
		return false
	}
	for {
		h.mu.Lock()
		if h.closed {
			h.mu.Unlock()
			h.budget.give(cost)
			return false
		}
		if !h.batch.full(h.cfg) {
			break
		}
		h.mu.Unlock()
		select {
		case <-h.space:
		case <-h.closing.Done():
		}
	}
	defer h.mu.Unlock()
	h.batch.cost += cost
	read(h.batch)
	if h.batch.messages == 1 || h.batch.full(h.cfg) {
		notify(h.changed)
	}
	return true
}

// reserve takes memory from the budget. When there is none left, the batch in hand goes first, so that lanes that hold
// half-filled batches never wait for each other.
func (h *hopper) reserve(cost int64) bool {
	if h.budget.tryTake(cost) {
		return true
	}
	h.mu.Lock()
	if h.batch.messages > 0 {
		h.batch.hurry = true
		notify(h.changed)
	}
	h.mu.Unlock()
	return h.budget.take(h.closing, cost)
}

// take returns the batch in hand once it is full, old enough or h was closed, and false when h is closed and empty.
func (h *hopper) take() (*batch, bool) {
	timer := time.NewTimer(h.cfg.MaxAge)
	defer timer.Stop()
	for {
		b, wait, closed := h.tryTake()
		if b != nil || closed {
			return b, b != nil
		}
		timer.Reset(wait)
		select {
		case <-h.changed:
		case <-timer.C:
		case <-h.closing.Done():
		}
	}
}

// tryTake takes the batch in hand when it is due, and says how long to wait when it is not.
func (h *hopper) tryTake() (b *batch, wait time.Duration, closed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.batch.messages == 0 {
		return nil, h.cfg.MaxAge, h.closed
	}
	wait = h.cfg.MaxAge - time.Since(h.batch.began)
	if wait > 0 && !h.closed && !h.batch.full(h.cfg) {
		return nil, wait, false
	}
	b = h.batch
	h.batch, h.spare = h.spare, nil
	if h.batch == nil {
		h.batch = &batch{}
	}
	notify(h.space)
	return b, 0, h.closed
}

// done gives a taken batch and its memory back.
func (h *hopper) done(b *batch) {
	h.budget.give(b.cost)
	b.reset()
	h.mu.Lock()
	h.spare = b
	h.mu.Unlock()
}

// close refuses what comes after; what is in hand can still be taken.
func (h *hopper) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.end()
}

// pending returns when the oldest message in hand was put into the stream, and whether adding waits for room.
func (h *hopper) pending() (oldest time.Time, blocked bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.batch.oldest, h.batch.full(h.cfg)
}

// notify wakes the receiver of c, which may be busy.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
