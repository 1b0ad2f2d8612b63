package client

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// knowledge is what the client knows of the registry and of the breaker's switches. Its watches write it; any goroutine reads it.
type knowledge struct {
	log      *slog.Logger
	registry *drift.Registry
	// documents and breaker say how well the two buckets are known.
	documents, breaker *source

	// writing is held while a document is put into the registry, which may take its time.
	writing   sync.Mutex
	revisions map[drift.Key]uint64

	mu       sync.RWMutex
	switches map[switchKey]*heldSwitch
}

// switchKey names a switch: for all agents, or for one.
type switchKey struct {
	tool  drift.Key
	agent string
}

// heldSwitch is the newest switch that is known.
type heldSwitch struct {
	*drift.Switch
	revision uint64
	// tried is when this client last tried to claim its probe.
	tried time.Time
}

func newKnowledge(log *slog.Logger) *knowledge {
	return &knowledge{
		log: log, registry: drift.NewRegistry(), documents: newSource(), breaker: newSource(),
		revisions: map[drift.Key]uint64{}, switches: map[switchKey]*heldSwitch{},
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

// documentWatch puts the registry's documents into the client's knowledge.
type documentWatch struct{ *knowledge }

// Whole takes all documents, and drops the others.
func (w documentWatch) Whole(all []stream.Entry) {
	w.writing.Lock()
	w.revisions = map[drift.Key]uint64{}
	w.writing.Unlock()
	there := map[drift.Key]bool{}
	for _, e := range all {
		if k, ok := documentKey(e.Key); ok && !e.Deleted {
			there[k] = true
			w.Changed(e)
		}
	}
	for _, k := range w.registry.Keys() {
		if !there[k] {
			w.registry.Drop(k)
		}
	}
	w.documents.known()
}

// Changed takes one document. One that can't be used leaves the one before it.
func (w documentWatch) Changed(e stream.Entry) {
	k, ok := documentKey(e.Key)
	if !ok {
		return
	}
	if e.Deleted {
		w.registry.Drop(k)
		return
	}
	d, err := drift.DecodeDocument(e.Value)
	if err == nil && d.Key() != k {
		err = errOtherKey
	}
	if err == nil {
		err = w.putDocument(d, e.Revision)
	}
	if err != nil {
		w.log.Warn("registry document can not be used, or not all of it", slog.String("key", e.Key), slog.Any("error", err))
	}
}

// putDocument puts a document into the registry unless a newer one is there.
func (k *knowledge) putDocument(d *drift.Document, revision uint64) error {
	k.writing.Lock()
	defer k.writing.Unlock()
	if k.revisions[d.Key()] >= revision {
		return nil
	}
	k.revisions[d.Key()] = revision
	return k.registry.Put(d)
}

// documentKey reads the key of a document.
func documentKey(key string) (drift.Key, bool) {
	names, ok := stream.SplitKey(key)
	if !ok || len(names) != 2 {
		return drift.Key{}, false
	}
	return drift.Key{Server: names[0], Tool: names[1]}, true
}

// switchWatch puts the breaker's switches into the client's knowledge.
type switchWatch struct{ *knowledge }

// Whole takes all switches, and drops the others.
func (w switchWatch) Whole(all []stream.Entry) {
	w.mu.Lock()
	was := w.switches
	w.switches = map[switchKey]*heldSwitch{}
	for _, e := range all {
		w.put(e, was)
	}
	w.mu.Unlock()
	w.breaker.known()
}

// Changed takes one switch.
func (w switchWatch) Changed(e stream.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.put(e, w.switches)
}

// put takes a switch; one that can't be read leaves what was there. The caller holds the lock.
func (w switchWatch) put(e stream.Entry, was map[switchKey]*heldSwitch) {
	at, ok := switchKeyOf(e.Key)
	switch {
	case !ok:
	case e.Deleted:
		delete(w.switches, at)
	default:
		sw, err := readSwitch(e.Value, at)
		if err == nil {
			w.setSwitch(at, sw, e.Revision)
			return
		}
		w.log.Warn("switch can not be read, what was known before stays", slog.String("key", e.Key), slog.Any("error", err))
		if h := was[at]; h != nil {
			w.switches[at] = h
		}
	}
}

// readSwitch decodes a switch and checks that it is the one of its key.
func readSwitch(data []byte, at switchKey) (*drift.Switch, error) {
	sw, err := drift.DecodeSwitch(data)
	if err != nil {
		return nil, err
	}
	if sw == nil || sw.Server != at.tool.Server || sw.Tool != at.tool.Tool || sw.Agent != at.agent {
		return nil, errOtherKey
	}
	return sw, nil
}

// setSwitch takes a switch unless a newer one is there. The caller holds the lock.
func (k *knowledge) setSwitch(at switchKey, sw *drift.Switch, revision uint64) {
	if h := k.switches[at]; h == nil || h.revision < revision {
		k.switches[at] = &heldSwitch{Switch: sw, revision: revision}
	}
}

// switchKeyOf reads the key of a switch; the breaker's own keys are none.
func switchKeyOf(key string) (switchKey, bool) {
	names, ok := stream.SplitKey(key)
	if !ok || len(names) < 2 || len(names) > 3 {
		return switchKey{}, false
	}
	at := switchKey{tool: drift.Key{Server: names[0], Tool: names[1]}}
	if len(names) == 3 {
		at.agent = names[2]
	}
	return at, true
}

// refusing returns the switch that refuses a tool's calls by an agent at a time: the one for all agents first. Nil is none.
func (k *knowledge) refusing(tool drift.Key, agent string, now time.Time) (*drift.Switch, switchKey) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, at := range [...]switchKey{{tool, ""}, {tool, agent}} {
		if h := k.switches[at]; h != nil && h.Refuses(now) {
			return h.Switch, at
		}
	}
	return nil, switchKey{}
}
