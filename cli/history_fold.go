package cli

import (
	"slices"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// foldChanges leaves out revisions of switches that change nothing for anybody: the breaker notes in a switch that it told people, or
// that it would have disabled the tool. Of the probe it says who claimed it and what became of it. The changes are the newest first, and
// those of switches have their documents; none has one afterwards.
func foldChanges(all []events.ToolChange) []events.ToolChange {
	type id struct{ epoch, key string }
	last := map[id]*drift.Switch{}
	removed := map[id]bool{}
	out := make([]events.ToolChange, 0, len(all))
	for _, c := range slices.Backward(all) {
		if c.Bucket != stream.BreakerBucket {
			said := removed[id{c.Epoch, c.Key}]
			removed[id{c.Epoch, c.Key}] = c.Action == string(actionRemove)
			if !said || c.Action != events.ToolChangeDeleted { // who removed it is said already
				out = append(out, c)
			}
			continue
		}
		s, _ := drift.DecodeSwitch([]byte(c.Document)) // what is no switch is told as the change that it is
		c.Document = ""
		was := last[id{c.Epoch, c.Key}]
		last[id{c.Epoch, c.Key}] = s
		if s != nil && was != nil && sameForPeople(was, s) {
			continue
		}
		if s != nil {
			tellProbe(&c, was, s)
		}
		out = append(out, c)
	}
	slices.Reverse(out)
	return out
}

// sameForPeople reports that two switches, one after the other, refuse the same calls for the same reason.
func sameForPeople(a, b *drift.Switch) bool {
	return a.State == b.State && a.Since.Equal(b.Since) && a.Until.Equal(b.Until) && a.By == b.By && a.Reason == b.Reason &&
		a.ProbeBy == b.ProbeBy && a.ProbeAt.Equal(b.ProbeAt)
}

// tellProbe says who tries a call, and that a call which was tried failed.
func tellProbe(c *events.ToolChange, was, is *drift.Switch) {
	switch {
	case is.State == drift.SwitchProbing && is.ProbeBy != "":
		c.ChangedBy, c.Reason = is.ProbeBy, "tries one call; disabled by "+is.By+": "+is.Reason
	case is.State == drift.SwitchDisabled && was != nil && was.State == drift.SwitchProbing && is.Since.Equal(was.Since):
		c.Reason = "the call that was tried failed; disabled before: " + is.Reason
	}
}
