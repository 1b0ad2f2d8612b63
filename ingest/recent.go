package ingest

import (
	"slices"
	"sync"

	"github.com/google/uuid"
)

// recent knows the ids of a lane's newest stored events, and of those on their way.
type recent struct {
	mu   sync.Mutex
	seen map[uuid.UUID]struct{}
	// ring has the stored ids in the order in which they are forgotten; next is the oldest once it is full.
	ring  []uuid.UUID
	next  int
	limit int
}

func newRecent(limit int) *recent {
	return &recent{seen: make(map[uuid.UUID]struct{}), limit: limit}
}

// claim takes an id for an event on its way; it returns false when the id is known.
func (r *recent) claim(id uuid.UUID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.seen[id]; ok {
		return false
	}
	r.seen[id] = struct{}{}
	return true
}

// release gives up ids that were claimed and not stored.
func (r *recent) release(ids []uuid.UUID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		delete(r.seen, id)
	}
}

// keep says that claimed ids were stored; the oldest are forgotten for them.
func (r *recent) keep(ids []uuid.UUID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		r.push(id)
	}
}

// load adds ids that the store has, given newest first.
func (r *recent) load(ids []uuid.UUID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range slices.Backward(ids) {
		if _, ok := r.seen[id]; !ok {
			r.seen[id] = struct{}{}
			r.push(id)
		}
	}
}

func (r *recent) push(id uuid.UUID) {
	if len(r.ring) < r.limit {
		r.ring = append(r.ring, id)
		return
	}
	if r.limit == 0 {
		delete(r.seen, id)
		return
	}
	delete(r.seen, r.ring[r.next])
	r.ring[r.next] = id
	r.next = (r.next + 1) % r.limit
}
