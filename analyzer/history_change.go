package analyzer

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// ownKey reports whether a key of a bucket is the analyzer's own, and of no tool.
func ownKey(key string) bool { return strings.HasPrefix(key, "_") && !strings.Contains(key, ".") }

// changed is what documents of the registry and switches of the breaker say of the change that made them.
type changed struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	Agent  string `json:"agent"`

	// Edit is set in documents alone.
	Edit *struct {
		By      string `json:"by"`
		Action  string `json:"action"`
		Version string `json:"version"`
		Reason  string `json:"reason"`
	} `json:"edit"`

	State   string `json:"state"`
	By      string `json:"by"`
	Reason  string `json:"reason"`
	Version string `json:"version"`
	// ProbeBy is the client that claimed the probe, in a switch that is probing.
	ProbeBy string `json:"probe_by"`
}

// changeOf reads a revision of a bucket. What is no document is kept as it is, under the names in its key.
func changeOf(bucket, epoch string, e *stream.Entry) events.ToolChange {
	c := events.ToolChange{Bucket: bucket, Epoch: epoch, Key: e.Key, Revision: e.Revision, At: e.At, Document: string(e.Value)}
	if names, ok := stream.SplitKey(e.Key); ok && len(names) >= 2 {
		c.Server, c.Tool = names[0], names[1]
		if len(names) > 2 {
			c.Agent = names[2]
		}
	}
	if e.Deleted {
		c.Action = events.ToolChangeDeleted
		return c
	}
	var v changed
	if err := json.Unmarshal(e.Value, &v); err != nil {
		c.Action = events.ToolChangeUnreadable
		return c
	}
	v.describe(&c)
	return c
}

func (v *changed) describe(c *events.ToolChange) {
	if c.Tool == "" {
		c.Server, c.Tool, c.Agent = v.Server, v.Tool, v.Agent
	}
	if v.Edit != nil {
		c.Action, c.Version, c.ChangedBy, c.Reason = v.Edit.Action, v.Edit.Version, v.Edit.By, v.Edit.Reason
	} else {
		c.Action, c.Version, c.ChangedBy, c.Reason = v.State, v.Version, cmp.Or(v.ProbeBy, v.By), v.Reason
	}
	c.Action = cmp.Or(c.Action, events.ToolChangeUnreadable)
}
