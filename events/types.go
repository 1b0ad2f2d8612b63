package events

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxEventBytes is the most that one encoded event may take (DESIGN section 2).
const MaxEventBytes = 512 << 10

// SpecVersion is the CloudEvents version of every event.
const SpecVersion = "1.0"

// Event is one CloudEvents 1.0 event.
type Event struct {
	// ID is a UUID; the client makes version 7, capture derives one from the file's content so that a file read twice gives the
	// same ids.
	ID string
	// Source names the agent that speaks (a URI reference).
	Source string
	// Time is when it happened.
	Time time.Time
	// Data says what happened; its Kind gives the CloudEvents type.
	Data Data
}

// Kind returns the kind of the event's data, and "" when there is none.
func (e *Event) Kind() Kind {
	if e.Data == nil {
		return ""
	}
	return e.Data.Kind()
}

// Data is the body of an event: a pointer to one of the six kinds.
type Data interface {
	Kind() Kind
	// Common returns the fields that every kind carries.
	Common() *Context
}

// Context is what every event carries where it is known. Empty means not known.
type Context struct {
	AgentName      string `json:"agent_name,omitzero"`
	AgentVersion   string `json:"agent_version,omitzero"`
	Environment    string `json:"environment,omitzero"`
	Team           string `json:"team,omitzero"`
	ConversationID string `json:"conversation_id,omitzero"`
	// Turn counts the model's answers in the conversation, from 1; 0 is not known.
	Turn         int64  `json:"turn,omitzero"`
	RequestID    string `json:"request_id,omitzero"`
	ProviderName string `json:"provider_name,omitzero"`
	RequestModel string `json:"request_model,omitzero"`
	TraceID      string `json:"trace_id,omitzero"`
	SpanID       string `json:"span_id,omitzero"`
	// Cohort is the canary cohort the conversation is in: "canary", "baseline" or a name of the agent's own.
	Cohort string `json:"cohort,omitzero"`
}

// Common returns c itself.
func (c *Context) Common() *Context { return c }

// Outcome is how a tool call ended.
type Outcome string

// The outcomes of a tool call.
const (
	OutcomeOK              Outcome = "ok"
	OutcomeExecutionError  Outcome = "execution_error"
	OutcomeValidationError Outcome = "validation_error"
	OutcomeRefused         Outcome = "refused"
)

// DriftClass is what classification against the registry said of a call (DESIGN section 4, Drift).
type DriftClass string

// The classes of a call. The empty class is a call nobody has classified yet.
const (
	DriftCurrent         DriftClass = "current"
	DriftOldVersion      DriftClass = "old_version"
	DriftSilentDefault   DriftClass = "silent_default"
	DriftUnknownArgument DriftClass = "unknown_argument"
	DriftValidationError DriftClass = "validation_error"
	DriftUnregistered    DriftClass = "unregistered"
)

// Resolution is what looking a called name up said (DESIGN section 4, Activation).
type Resolution string

// The resolutions in the order in which they are tried. The empty resolution is a call nobody has looked up yet.
const (
	ResolvedOK            Resolution = "ok"
	ResolvedNotActivated  Resolution = "not_activated"
	ResolvedRenamed       Resolution = "renamed"
	ResolvedNotConnected  Resolution = "not_connected"
	ResolvedNotPermitted  Resolution = "not_permitted"
	ResolvedConnectorName Resolution = "connector_name"
	ResolvedPrefixRepair  Resolution = "prefix_repair"
	ResolvedGuessed       Resolution = "guessed"
	ResolvedUnknown       Resolution = "unknown"
)

// ToolCall says one call of a tool by a model.
type ToolCall struct {
	Context    `json:",inline"`
	ToolCallID string `json:"tool_call_id,omitzero"`
	// ToolName is the name as the model gave it; the client cuts one of more than 256 bytes and replaces what is not UTF-8.
	ToolName string `json:"tool_name"`
	Server   string `json:"server,omitzero"`
	// ResolvedName is the tool that was meant, after unwrapping a bridge and splitting off a server; empty when it equals ToolName
	// or nothing was found.
	ResolvedName string `json:"resolved_name,omitzero"`
	// Bridge is the bridge tool whose argument named the tool (call_tool {name}).
	Bridge string `json:"bridge,omitzero"`
	// BridgedName is the name that the model gave to the bridge, with the server before it that it gave beside; empty when ResolvedName
	// equals it.
	BridgedName   string     `json:"bridged_name,omitzero"`
	Resolution    Resolution `json:"resolution,omitzero"`
	ResolutionHow string     `json:"resolution_how,omitzero"`
	// SchemaVersion is the version that the caller claimed; always kept, empty when none was claimed.
	SchemaVersion string `json:"schema_version,omitzero"`
	// ActiveVersion is the version that the call was judged against.
	ActiveVersion string `json:"active_version,omitzero"`
	// UsedVersion is the version that the arguments were of, claimed or recognised; empty where nobody judged the call.
	UsedVersion string     `json:"used_version,omitzero"`
	DriftClass  DriftClass `json:"drift_class,omitzero"`
	Outcome     Outcome    `json:"outcome"`
	ErrorType   string     `json:"error_type,omitzero"`
	// Execution is who ran the tool: "client" (or empty) or "provider".
	Execution          string            `json:"execution,omitzero"`
	ValidationErrors   []ValidationError `json:"validation_errors,omitzero"`
	UnknownArguments   []string          `json:"unknown_arguments,omitzero"`
	DefaultedArguments []string          `json:"defaulted_arguments,omitzero"`
	// RenamedArguments are the names that the call gave in the place of the DefaultedArguments.
	RenamedArguments []string `json:"renamed_arguments,omitzero"`
	Migration        string   `json:"migration,omitzero"`
	// ArgumentShape has a JSON pointer and a JSON type for each argument value; never a value.
	ArgumentShape []Argument `json:"argument_shape,omitzero"`
	// ArgumentsDigest is the short digest of the canonical arguments: the same call again has the same one.
	ArgumentsDigest string `json:"arguments_digest,omitzero"`
	// Arguments is the arguments object itself, only where the agent's owner turned that on.
	Arguments jsontext.Value `json:"arguments,omitzero"`
	MadeUpIDs []MadeUpID     `json:"made_up_ids,omitzero"`
	// Attempt counts tries of one piece of work, from 1; 0 is not known.
	Attempt         int64   `json:"attempt,omitzero"`
	DurationSeconds float64 `json:"duration_seconds,omitzero"`
	// InputTokens and OutputTokens are this attempt's share of the model request that made the call.
	InputTokens  Count `json:"input_tokens,omitzero"`
	OutputTokens Count `json:"output_tokens,omitzero"`
}

// ValidationError is one place where arguments did not fit the schema. It holds no values of theirs.
type ValidationError struct {
	// Path is a JSON pointer into the arguments, its names as [PlaceName] has them unless a schema declares them.
	Path string `json:"path"`
	// Keyword is the JSON Schema keyword that failed.
	Keyword string `json:"keyword"`
	// Message says for people what was wanted: words of the schema and types, never a value of the arguments.
	Message string `json:"message,omitzero"`
}

// Argument is the shape of one argument value.
type Argument struct {
	// Path is a JSON pointer into the arguments, its names as [PlaceName] has them unless a schema declares them.
	Path string `json:"path"`
	// Type is the JSON type: string, number, integer, boolean, object, array or null.
	Type string `json:"type"`
}

// MadeUpID is an id-like argument value that appeared nowhere earlier in its conversation.
type MadeUpID struct {
	// Path is a JSON pointer into the arguments, its names as [PlaceName] has them.
	Path string `json:"path"`
	// Digest is the short digest of the value.
	Digest string `json:"digest"`
	// Value is the value itself, only where the agent's owner turned that on.
	Value string `json:"value,omitzero"`
}

// RefusalReason is why a tool was not loaded.
type RefusalReason string

// The reasons for refusing a tool.
const (
	RefusedUnknown          RefusalReason = "unknown"
	RefusedNotPermitted     RefusalReason = "not_permitted"
	RefusedPolicy           RefusalReason = "policy"
	RefusedClientCapability RefusalReason = "client_capability"
	RefusedAlreadyLoaded    RefusalReason = "already_loaded"
	RefusedConnectorName    RefusalReason = "connector_name"
	RefusedNotConnected     RefusalReason = "not_connected"
)

// ActivationVia is what asked for tools.
type ActivationVia string

// What can ask for tools.
const (
	ViaActivationTool ActivationVia = "activation_tool"
	ViaToolSearch     ActivationVia = "tool_search"
	ViaMention        ActivationVia = "mention"
	ViaRestore        ActivationVia = "restore"
	ViaToolAddition   ActivationVia = "tool_addition"
)

// Activation says one request to load tools.
type Activation struct {
	Context `json:",inline"`
	Via     ActivationVia `json:"via"`
	Asked   []string      `json:"asked,omitzero"`
	Loaded  []string      `json:"loaded,omitzero"`
	Refused []RefusedTool `json:"refused,omitzero"`
	// Server is the server whose tools were asked for, where one was.
	Server       string `json:"server,omitzero"`
	InputTokens  Count  `json:"input_tokens,omitzero"`
	OutputTokens Count  `json:"output_tokens,omitzero"`
}

// RefusedTool is a name that was not loaded, and why.
type RefusedTool struct {
	Name   string        `json:"name"`
	Reason RefusalReason `json:"reason"`
}

// ClientHeartbeat says how a client itself does. Counts are since the client started.
type ClientHeartbeat struct {
	Context       `json:",inline"`
	ClientID      string `json:"client_id"`
	ClientVersion string `json:"client_version"`
	Emitted       int64  `json:"emitted"`
	Acked         int64  `json:"acked"`
	// Dropped counts dropped events by reason.
	Dropped     []DropCount `json:"dropped,omitzero"`
	QueueEvents int64       `json:"queue_events"`
	QueueBytes  int64       `json:"queue_bytes"`
	Reconnects  int64       `json:"reconnects,omitzero"`
}

// DropCount counts events dropped for one reason.
type DropCount struct {
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
}

// Kind returns [KindToolCall].
func (*ToolCall) Kind() Kind { return KindToolCall }

// Kind returns [KindActivation].
func (*Activation) Kind() Kind { return KindActivation }

// Kind returns [KindRequestPrefix].
func (*RequestPrefix) Kind() Kind { return KindRequestPrefix }

// Kind returns [KindToolRoster].
func (*ToolRoster) Kind() Kind { return KindToolRoster }

// Kind returns [KindToolDefinition].
func (*ToolDefinition) Kind() Kind { return KindToolDefinition }

// Kind returns [KindClientHeartbeat].
func (*ClientHeartbeat) Kind() Kind { return KindClientHeartbeat }
