package analyzer

import (
	"log/slog"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// switchWatch tells the breaker what the switches are, whoever changed them.
type switchWatch struct{ *Breaker }

// Whole takes all switches for those that there are.
func (w switchWatch) Whole(all []stream.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	gone := map[drift.SwitchKey]bool{}
	for k := range w.core.Switches {
		gone[k] = true
	}
	for i := range all {
		if k, ok := w.take(&all[i]); ok {
			delete(gone, k)
		}
	}
	for k := range gone {
		w.core.SetSwitch(k, nil)
	}
	w.switchesKnown.give()
}

// Changed takes one switch.
func (w switchWatch) Changed(e stream.Entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.take(&e)
}

// take sets one switch and returns its key; false for what is none.
func (w switchWatch) take(e *stream.Entry) (drift.SwitchKey, bool) {
	if ownKey(e.Key) {
		return drift.SwitchKey{}, false
	}
	k, ok := switchKeyOf(e.Key)
	if !ok {
		w.log.Warn("pass over a switch whose key names no tool", slog.String("key", e.Key))
		return k, false
	}
	was, is := w.core.Switch(k), w.readSwitch(e.Key, e.Value)
	w.core.SetSwitch(k, is)
	w.teller.see(e.Key, was, is, e.At)
	return k, true
}

// readSwitch reads a switch; one that can't be read is none.
func (b *Breaker) readSwitch(key string, value []byte) *drift.Switch {
	s, err := drift.DecodeSwitch(value)
	if err != nil {
		b.log.Warn("take a switch that can't be read for none", slog.String("key", key), slog.Any("error", err))
		return nil
	}
	return s
}

// switchKeyOf reads a key of the breaker's bucket.
func switchKeyOf(key string) (k drift.SwitchKey, ok bool) {
	names, ok := stream.SplitKey(key)
	if !ok || len(names) < 2 || len(names) > 3 {
		return k, false
	}
	k.Server, k.Tool = names[0], names[1]
	if len(names) == 3 {
		k.Agent = names[2]
	}
	return k, true
}

// keyOfSwitch is a switch's key in the bucket.
func keyOfSwitch(k drift.SwitchKey) (string, error) {
	if k.Agent == "" {
		return stream.Key(k.Server, k.Tool)
	}
	return stream.Key(k.Server, k.Tool, k.Agent)
}
