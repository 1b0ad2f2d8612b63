package events

import "time"

// ToolChange is one revision of a key in the bucket of the registry or of the breaker: what was done to a tool, by whom and why.
// No agent sends it: the analyzer keeps what the buckets forget.
type ToolChange struct {
	// Bucket is the bucket's name and Epoch its creation time: revisions of different epochs are not comparable.
	Bucket string `json:"bucket"`
	Epoch  string `json:"epoch"`
	// Key is the key in the bucket and Revision the bucket's revision that this change made.
	Key      string `json:"key"`
	Revision uint64 `json:"revision"`
	// At is when the bucket took it.
	At     time.Time `json:"at"`
	Server string    `json:"server,omitzero"`
	Tool   string    `json:"tool"`
	// Agent is set where the change is for the calls of one agent alone.
	Agent string `json:"agent,omitzero"`
	// Action is what was done: of the registry what its edit says, of the breaker the state it left; [ToolChangeDeleted] is a key
	// taken away and [ToolChangeUnreadable] a value that is no document.
	Action string `json:"action"`
	// Version is the schema version it was done to, where there is one.
	Version   string `json:"version,omitzero"`
	ChangedBy string `json:"changed_by,omitzero"`
	Reason    string `json:"reason,omitzero"`
	// Document is the value as the change left it, JSON unless it is unreadable.
	Document string `json:"document,omitzero"`
}

// Actions of a [ToolChange] that no document says.
const (
	ToolChangeDeleted    = "deleted"
	ToolChangeUnreadable = "unreadable"
)
