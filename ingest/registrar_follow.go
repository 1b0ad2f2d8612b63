package ingest

import (
	"fmt"
	"log/slog"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// follower hears of the bucket for a [Registrar].
type follower struct{ r *Registrar }

// Whole takes over all documents. A tool that the bucket does not know, not even as one that was taken away, is written into it: the
// bucket is new, or was made anew.
func (f follower) Whole(all []stream.Entry) {
	f.restart()
	there := make(map[drift.Key]bool, len(all))
	for i := range all {
		if k, ok := keyOf(all[i].Key); ok {
			there[k] = true
		}
		f.Changed(all[i])
	}
	f.fill(there)
}

// restart forgets revisions: they may be those of another bucket.
func (f follower) restart() {
	f.r.mu.Lock()
	defer f.r.mu.Unlock()
	for _, n := range f.r.known {
		n.revision = 0
	}
}

// fill has all that the bucket lacks written.
func (f follower) fill(there map[drift.Key]bool) {
	r := f.r
	r.mu.Lock()
	defer r.mu.Unlock()
	r.synced = true
	for _, k := range r.registry.Keys() {
		if !there[k] {
			r.queue(k)
		}
	}
	r.rouse()
	r.log.Info("registry read", slog.Int("documents", len(there)), slog.Int("tools", r.registry.Len()), slog.Int("to_write", len(r.waiting)))
}

// Changed takes over one document.
func (f follower) Changed(e stream.Entry) {
	f.r.mu.Lock()
	defer f.r.mu.Unlock()
	f.r.apply(&e)
}

// keyOf returns the tool of a key; false for one that is of none.
func keyOf(key string) (drift.Key, bool) {
	names, ok := stream.SplitKey(key)
	if !ok || len(names) != 2 {
		return drift.Key{}, false
	}
	return drift.Key{Server: names[0], Tool: names[1]}, true
}

// apply takes over what the bucket has of a tool, together with what it still lacks. The caller holds the lock.
func (r *Registrar) apply(e *stream.Entry) {
	k, ok := keyOf(e.Key)
	if !ok || e.Revision < r.note(k).revision {
		return
	}
	r.note(k).revision = e.Revision
	defer func() { r.metrics.RegistryTools.Set(float64(r.registry.Len())) }()
	if e.Deleted {
		r.registry.Drop(k)
		r.done(k)
		return
	}
	d, err := documentOf(k, e.Value)
	if err != nil {
		r.unusable(e, err)
		return
	}
	if n := r.note(k); n.waits {
		changed, err := merge(d, r.registry.Document(k), n.stored)
		if err != nil {
			r.unusable(e, err)
		}
		if !changed {
			r.done(k)
		}
	}
	if err := r.registry.Put(d); err != nil {
		r.unusable(e, err)
	}
}

// documentOf decodes a tool's document.
func documentOf(k drift.Key, value []byte) (*drift.Document, error) {
	d, err := drift.DecodeDocument(value)
	if err != nil {
		return nil, err
	}
	if d.Key() != k {
		return nil, fmt.Errorf("the document is of %s: %w", d.Key(), drift.ErrDocument)
	}
	return d, nil
}

// unusable counts a document that can't be used, or not all of it; the last good one serves on.
func (r *Registrar) unusable(e *stream.Entry, err error) {
	r.metrics.RegistryErrors.Inc()
	r.log.Warn("a document of the registry can't be used", slog.String("key", e.Key), slog.Uint64("revision", e.Revision), slog.Any("error", err))
}
