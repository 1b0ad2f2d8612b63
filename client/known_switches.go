package client

import (
	"errors"
	"log/slog"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

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

var errOtherKey = errors.New("it is of another key than its own")

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
