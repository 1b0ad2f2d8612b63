package client

import (
	"fmt"
	"log/slog"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// maxHeldBytes bounds the documents that a client holds, in bytes of their JSON. Only those of tools that it is asked about are compiled,
// which takes many times as much.
const maxHeldBytes = 64 << 20

// heldDocument is the newest document of a tool that is known.
type heldDocument struct {
	value    []byte
	revision uint64
	// used says that the registry has it, or what it could take of it.
	used bool
}

// documentWatch puts the registry's documents into the client's knowledge.
type documentWatch struct{ *knowledge }

// Whole takes all documents, and drops the others.
func (w documentWatch) Whole(all []stream.Entry) {
	next, size := make(map[drift.Key]*heldDocument, len(all)), 0
	for _, e := range all {
		if k, ok := documentKey(e.Key); ok && !e.Deleted && w.fits(k, size+len(e.Value)) {
			next[k] = &heldDocument{value: e.Value, revision: e.Revision}
			size += len(e.Value)
		}
	}
	for _, k := range w.replace(next, size) {
		w.use(k)
		w.dropGone(k)
	}
	w.documents.known()
}

// replace holds other documents, and returns the tools that the registry has.
func (k *knowledge) replace(next map[drift.Key]*heldDocument, size int) (used []drift.Key) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for tool, h := range k.held {
		if h.used {
			used = append(used, tool)
		}
	}
	k.held, k.heldBytes = next, size
	return used
}

// Changed takes one document.
func (w documentWatch) Changed(e stream.Entry) {
	k, ok := documentKey(e.Key)
	switch {
	case !ok:
	case e.Deleted:
		w.mu.Lock()
		w.forget(k)
		w.mu.Unlock()
		w.dropGone(k)
	default:
		w.setDocument(k, e.Value, e.Revision)
	}
}

// documentKey reads the key of a document.
func documentKey(key string) (drift.Key, bool) {
	names, ok := stream.SplitKey(key)
	if !ok || len(names) != 2 {
		return drift.Key{}, false
	}
	return drift.Key{Server: names[0], Tool: names[1]}, true
}

// setDocument takes a document unless a newer one is there, and puts it into the registry at once where the one before was.
func (k *knowledge) setDocument(tool drift.Key, value []byte, revision uint64) {
	if k.hold(tool, value, revision) {
		k.use(tool)
	}
}

// hold takes a document unless a newer one is there or there is no room, and reports whether the registry has the one before.
func (k *knowledge) hold(tool drift.Key, value []byte, revision uint64) (used bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.held[tool]; h != nil {
		if h.revision >= revision {
			return false
		}
		used = h.used
		k.forget(tool)
	}
	if k.fits(tool, k.heldBytes+len(value)) {
		k.held[tool] = &heldDocument{value: value, revision: revision}
		k.heldBytes += len(value)
	}
	return used
}

// fits reports whether there is room for a document, and tells the log once when there is not.
func (k *knowledge) fits(tool drift.Key, size int) bool {
	if size <= maxHeldBytes {
		return true
	}
	if !k.full.Swap(true) {
		k.log.Warn("registry is too large for the client, documents are left out", slog.String("tool", tool.String()), slog.Int("limit_bytes", maxHeldBytes))
	}
	return false
}

// forget drops a document; the registry may still have it. The caller holds the lock.
func (k *knowledge) forget(tool drift.Key) {
	if h := k.held[tool]; h != nil {
		k.heldBytes -= len(h.value)
		delete(k.held, tool)
	}
}

// dropGone takes a tool out of the registry that is not held any more.
func (k *knowledge) dropGone(tool drift.Key) {
	k.writing.Lock()
	defer k.writing.Unlock()
	if k.newest(tool) == nil {
		k.registry.Drop(tool)
	}
}

func (k *knowledge) newest(tool drift.Key) *heldDocument {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.held[tool]
}

// holds reports whether there is a document of a tool.
func (k *knowledge) holds(tool drift.Key) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.held[tool] != nil
}

// use puts the newest document of a tool into the registry unless it is there. One that can't be used leaves the one before it.
func (k *knowledge) use(tool drift.Key) {
	k.mu.RLock()
	h := k.held[tool]
	done := h == nil || h.used
	k.mu.RUnlock()
	if done {
		return
	}
	k.writing.Lock()
	defer k.writing.Unlock()
	if h = k.newest(tool); h == nil {
		return
	}
	if err := k.put(tool, h.value); err != nil {
		k.log.Warn("registry document can not be used, or not all of it", slog.String("tool", tool.String()), slog.Any("error", err))
	}
	k.mu.Lock()
	h.used = true
	k.mu.Unlock()
}

func (k *knowledge) put(tool drift.Key, value []byte) error {
	d, err := drift.DecodeDocument(value)
	if err != nil {
		return err
	}
	if d.Key() != tool {
		return fmt.Errorf("use document of %s: %w", d.Key(), errOtherKey)
	}
	return k.registry.Put(d)
}
