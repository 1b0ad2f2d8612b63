// Package events is Tooltrail's contract: what agents say about their tools.
//
// An [Event] is a CloudEvents 1.0 event in structured JSON. Its data is one of six kinds ([ToolCall], [Activation],
// [RequestPrefix], [ToolRoster], [ToolDefinition], [ClientHeartbeat]). Field names follow the OpenTelemetry GenAI semantic
// conventions with the gen_ai. prefix dropped and dots turned into underscores. A NATS message holds one event or many,
// newline-delimited ([AppendEvent], [Lines]); its subject names the partition and the kind ([Subject]).
//
// A field that this version does not know is ignored; a wrong type or a missing required field is an [*Error] that names the
// path. The JSON Schemas in schemas/ (2020-12, published under docs/schemas) and the decoder accept and refuse the same inputs.
package events
