package events

import "github.com/go-json-experiment/json/jsontext"

// RosterReason is why a roster was sent.
type RosterReason string

// The reasons for a roster.
const (
	RosterDeploy      RosterReason = "deploy"
	RosterPermission  RosterReason = "permission"
	RosterListChanged RosterReason = "list_changed"
	RosterUnknown     RosterReason = "unknown"
)

// ToolRoster says the ordered list of tools that an agent or server offers; sent once a change.
type ToolRoster struct {
	Context `json:",inline"`
	// RosterDigest names this roster by its content.
	RosterDigest string       `json:"roster_digest"`
	Reason       RosterReason `json:"reason"`
	Tools        []RosterTool `json:"tools,omitzero"`
	// Server is set where the roster is one server's list of tools.
	Server string `json:"server,omitzero"`
	// Release is the server's or agent's release that the list belongs to.
	Release    string `json:"release,omitzero"`
	TextDigest string `json:"text_digest,omitzero"`
	// TextLength is that of the text in bytes of UTF-8.
	TextLength int64 `json:"text_length,omitzero"`
	// Servers are the servers that are known but not connected.
	NotConnected []string `json:"not_connected,omitzero"`
}

// RosterTool is one tool of a roster.
type RosterTool struct {
	Name             string `json:"name"`
	Server           string `json:"server,omitzero"`
	WireDigest       string `json:"wire_digest"`
	DefinitionDigest string `json:"definition_digest"`
	SchemaDigest     string `json:"schema_digest"`
	// Deferred says that only its name is in front of the model until it is loaded.
	Deferred bool `json:"deferred,omitzero"`
	// Denied says that the tool is known and may not be used.
	Denied        bool  `json:"denied,omitzero"`
	SummaryLength int64 `json:"summary_length,omitzero"`
	SummaryCut    bool  `json:"summary_cut,omitzero"`
}

// ToolDefinition says one tool's definition; sent once a definition.
type ToolDefinition struct {
	Context       `json:",inline"`
	ToolName      string `json:"tool_name"`
	Server        string `json:"server,omitzero"`
	SchemaVersion string `json:"schema_version,omitzero"`
	// Release is the server's or agent's release that brought it.
	Release          string `json:"release,omitzero"`
	WireDigest       string `json:"wire_digest"`
	DefinitionDigest string `json:"definition_digest"`
	SchemaDigest     string `json:"schema_digest"`
	// Definition is the definition as it was sent: an object with name, description and a schema.
	Definition jsontext.Value `json:"definition"`
}
