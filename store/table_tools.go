package store

import "github.com/tooltrail/tooltrail/events"

type roster = events.ToolRoster

var toolRosters = newTable("tool_rosters", events.KindToolRoster,
	text("roster_digest", func(r *roster) string { return r.RosterDigest }),
	text("reason", func(r *roster) string { return string(r.Reason) }),
	rosterTools("tools.name", "String", func(t *events.RosterTool) string { return t.Name }),
	rosterTools("tools.server", "String", func(t *events.RosterTool) string { return t.Server }),
	rosterTools("tools.wire_digest", "String", func(t *events.RosterTool) string { return t.WireDigest }),
	rosterTools("tools.definition_digest", "String", func(t *events.RosterTool) string { return t.DefinitionDigest }),
	rosterTools("tools.schema_digest", "String", func(t *events.RosterTool) string { return t.SchemaDigest }),
	rosterTools("tools.deferred", "Bool", func(t *events.RosterTool) bool { return t.Deferred }),
	rosterTools("tools.denied", "Bool", func(t *events.RosterTool) bool { return t.Denied }),
	rosterTools("tools.summary_length", "Int64", func(t *events.RosterTool) int64 { return t.SummaryLength }),
	rosterTools("tools.summary_cut", "Bool", func(t *events.RosterTool) bool { return t.SummaryCut }),
	text("server", func(r *roster) string { return r.Server }),
	text("release", func(r *roster) string { return r.Release }),
	text("text_digest", func(r *roster) string { return r.TextDigest }),
	number("text_length", func(r *roster) int64 { return r.TextLength }),
	texts("not_connected", func(r *roster) []string { return r.NotConnected }),
)

// rosterTools is a column of one field of a roster's tools.
func rosterTools[F any](name, element string, get func(*events.RosterTool) F) column {
	return list(name, element, func(r *roster) []F { return each(r.Tools, get) })
}

type definition = events.ToolDefinition

var toolDefinitions = newTable("tool_definitions", events.KindToolDefinition,
	text("tool_name", func(d *definition) string { return d.ToolName }),
	text("server", func(d *definition) string { return d.Server }),
	text("schema_version", func(d *definition) string { return d.SchemaVersion }),
	text("release", func(d *definition) string { return d.Release }),
	text("wire_digest", func(d *definition) string { return d.WireDigest }),
	text("definition_digest", func(d *definition) string { return d.DefinitionDigest }),
	text("schema_digest", func(d *definition) string { return d.SchemaDigest }),
	text("definition", func(d *definition) string { return string(d.Definition) }),
)
