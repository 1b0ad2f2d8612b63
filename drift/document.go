package drift

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Key names a tool: a server's, or an agent's own where Server is empty.
type Key struct{ Server, Tool string }

// String is server/tool, or the tool alone.
func (k Key) String() string { return named(k.Server, k.Tool) }

// State is where a schema version is in its life.
type State string

// The states of a version. A document has one active version at most and one in canary.
const (
	// StateActive is the version that calls should use.
	StateActive State = "active"
	// StateLegacy is a version that calls may still be of.
	StateLegacy State = "legacy"
	// StateCanary is the version that the canary's share of conversations uses.
	StateCanary State = "canary"
	// StateRetired is a version that no call should be of any more: a call that fits only it is invalid.
	StateRetired State = "retired"
)

// Document is what the registry knows of one tool. It is one value of the bucket tooltrail_registry, as JSON, so that agents in any
// language see a change at once.
type Document struct {
	Server string `json:"server,omitzero"`
	Tool   string `json:"tool"`
	Owner  string `json:"owner,omitzero"`
	// Managed says that people decide which version is active. Where it is false, the newest definition seen in events is.
	Managed bool `json:"managed,omitzero"`
	// FallbackVersion is the version of a call that names none and fits several; empty is the oldest.
	FallbackVersion string  `json:"fallback_version,omitzero"`
	Canary          *Canary `json:"canary,omitzero"`
	// Renames maps an argument's former name to its present one, where somebody said so.
	Renames    map[string]string `json:"renames,omitzero"`
	Migrations []Migration       `json:"migrations,omitzero"`
	// Versions are in the order in which they were registered.
	Versions []VersionEntry `json:"versions"`
	// Dropped are the versions that there was no room for any more, the newest [MaxDropped]: a definition of one that is seen again
	// changes nothing.
	Dropped []DroppedVersion `json:"dropped,omitzero"`
	// Edit is what made this revision of the document.
	Edit Edit `json:"edit"`
	// More holds the members that this program does not know: they are kept.
	More jsontext.Value `json:",embed"`
}

// Key returns the tool that the document is of.
func (d *Document) Key() Key { return Key{d.Server, d.Tool} }

// VersionEntry is one version in a document.
type VersionEntry struct {
	Version string `json:"version"`
	State   State  `json:"state"`
	// Since is when it got into its state.
	Since            time.Time      `json:"since"`
	Release          string         `json:"release,omitzero"`
	WireDigest       string         `json:"wire_digest"`
	DefinitionDigest string         `json:"definition_digest"`
	SchemaDigest     string         `json:"schema_digest"`
	Definition       jsontext.Value `json:"definition"`
	RegisteredBy     string         `json:"registered_by,omitzero"`
	RegisteredAt     time.Time      `json:"registered_at"`
	// Replaced are the definitions that the version had before, the oldest first, the newest [MaxReplaced]: a version of one name that
	// changed its bytes.
	Replaced []Replaced `json:"replaced,omitzero"`
	// More holds the members that this program does not know: they are kept.
	More jsontext.Value `json:",embed"`
}

// Replaced is a definition that a version had until another one of the same name came.
type Replaced struct {
	DefinitionDigest string    `json:"definition_digest"`
	SchemaDigest     string    `json:"schema_digest"`
	Until            time.Time `json:"until"`
}

// DroppedVersion is a version that a document held no longer.
type DroppedVersion struct {
	Version      string    `json:"version"`
	SchemaDigest string    `json:"schema_digest"`
	At           time.Time `json:"at"`
}

// Canary is a new version on trial: conversations whose hash is under Share use it.
type Canary struct {
	Version string `json:"version"`
	// Share is the share of conversations, 0 to 1; 0.10 unless told otherwise (docs/design.md).
	Share float64 `json:"share"`
	// HashKey is hashed together with the conversation's id: another key chooses other conversations.
	HashKey   string    `json:"hash_key"`
	StartedAt time.Time `json:"started_at"`
	StartedBy string    `json:"started_by,omitzero"`
	// More holds the members that this program does not know: they are kept.
	More jsontext.Value `json:",embed"`
}

// Edit is one change of a document: who did what when, and why. Those who change a document give At, By and Reason.
type Edit struct {
	At     time.Time `json:"at"`
	By     string    `json:"by"`
	Action Action    `json:"action"`
	// Version is the version it was done to.
	Version string `json:"version,omitzero"`
	Reason  string `json:"reason,omitzero"`
}

// Action is what an edit did.
type Action string

// The actions, each named as the method of [Document] that takes it.
const (
	ActionRegister        Action = "register"
	ActionActivate        Action = "activate"
	ActionRetire          Action = "retire"
	ActionSetFallback     Action = "set_fallback"
	ActionSetOwner        Action = "set_owner"
	ActionStartCanary     Action = "start_canary"
	ActionPromoteCanary   Action = "promote_canary"
	ActionAbortCanary     Action = "abort_canary"
	ActionAddMigration    Action = "add_migration"
	ActionRemoveMigration Action = "remove_migration"
	ActionAddRenames      Action = "add_renames"
	ActionFollow          Action = "follow"
)

// Migration brings the arguments of calls of one version to another.
type Migration struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Steps []Step `json:"steps"`
	// More holds the members that this program does not know. They are kept, and the migration is not applied.
	More jsontext.Value `json:",embed"`
}

// Step is one change of the arguments. Which fields it needs is said by its operation. A path that leads to nothing changes nothing.
type Step struct {
	// Op is rename (Path, To of the same parent), move (Path, To; makes the objects on the way), default (Path, Value; where nothing is
	// there but its parent is), drop (Path) or map (Path, Values; a value that is not listed stays).
	Op Op `json:"op"`
	// Path and To are JSON pointers into the arguments to a member of an object. A part * stands for every item where there is an array.
	Path string `json:"path"`
	To   string `json:"to,omitzero"`
	// Value is what a default puts there.
	Value jsontext.Value `json:"value,omitzero"`
	// Values maps old values to new ones. An old value is a string, or the JSON text of a number, true, false or null.
	Values map[string]jsontext.Value `json:"values,omitzero"`
	// More holds the members that this program does not know. They are kept, and the migration is not applied.
	More jsontext.Value `json:",embed"`
}

// Op is what a step does.
type Op string

// The operations of a step.
const (
	OpRename  Op = "rename"
	OpMove    Op = "move"
	OpDefault Op = "default"
	OpDrop    Op = "drop"
	OpMap     Op = "map"
)
