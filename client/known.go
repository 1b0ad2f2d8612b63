package client

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tooltrail/tooltrail/drift"
)

// knowledge is what the client knows of the registry and of the breaker's switches. Its watches write it; any goroutine reads it.
type knowledge struct {
	log      *slog.Logger
	registry *drift.Registry
	// documents and breaker say how well the two buckets are known.
	documents, breaker *source

	// writing is held while a document is put into the registry, which may take its time.
	writing sync.Mutex

	mu       sync.RWMutex
	switches map[switchKey]*heldSwitch
	// held are all documents; those of tools that were asked for are in the registry, compiled.
	held      map[drift.Key]*heldDocument
	heldBytes int
	// full says that the log has heard that there was no room.
	full atomic.Bool
}

func newKnowledge(log *slog.Logger) *knowledge {
	return &knowledge{
		log: log, registry: drift.NewRegistry(), documents: newSource(), breaker: newSource(),
		held: map[drift.Key]*heldDocument{}, switches: map[switchKey]*heldSwitch{},
	}
}

// source says how well a bucket is known.
type source struct {
	first chan struct{} // closed when it is known for the first time
	once  sync.Once
	start time.Time
	// state is stateNever, stateWatched, or when the watch was lost, in nanoseconds since 1970.
	state atomic.Int64
	// told says that the log has heard that it is not watched, doubted that a call was made without knowing.
	told, doubted atomic.Bool
}

const (
	stateNever   = -1
	stateWatched = 0
)

func newSource() *source {
	s := &source{first: make(chan struct{}), start: time.Now()}
	s.state.Store(stateNever)
	return s
}

// known marks the source as watched.
func (s *source) known() {
	s.state.Store(stateWatched)
	s.told.Store(false)
	s.doubted.Store(false)
	s.once.Do(func() { close(s.first) })
}

// lost marks it as not watched any more.
func (s *source) lost(now time.Time) { s.state.CompareAndSwap(stateWatched, now.UnixNano()) }

// ever reports whether it was known at all.
func (s *source) ever() bool { return s.state.Load() != stateNever }

// fresh reports whether it is watched, or was until not so long ago.
func (s *source) fresh(now time.Time, last time.Duration) bool {
	at := s.state.Load()
	return at == stateWatched || at > 0 && now.UnixNano()-at < int64(last)
}
