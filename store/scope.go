package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tooltrail/tooltrail/finding"
)

// Scoped is the store as queries see it that look at the events of a scope alone. Make one with [DB.Within].
type Scoped struct {
	db      *DB
	filters string
}

// Within returns the store narrowed to a scope: whatever a query reads of tables of events, it reads only rows of the scope's agent, environment
// and team. ClickHouse does it, by its setting additional_table_filters, so that queries need not know. Definitions of tools are not narrowed,
// since whoever sends one first sends it for all, nor are dead letters, which nobody knows the sender of; lists of tools that no agent sent stay.
// An empty scope sets nothing.
func (db *DB) Within(s finding.Scope) *Scoped { return &Scoped{db, db.filters(s)} }

// Each is [DB.Each] within the scope.
func (s *Scoped) Each(ctx context.Context, query string, args []any, row any, fn func() error) error {
	settings := s.db.readSettings()
	if s.filters != "" {
		settings["additional_table_filters"] = s.filters
	}
	return s.db.each(clickhouse.Context(ctx, clickhouse.WithSettings(settings)), query, args, row, fn)
}

// ofAgents are the tables whose rows are all of an agent; ofAnybody those of which some are of none.
var (
	ofAgents  = []string{"tool_calls", "activations", "request_prefixes", "client_heartbeats", "request_verdicts", "notable_verdicts", "judged_calls", "looked_up_calls"}
	ofAnybody = []string{"tool_rosters"}
)

// filters returns the setting for a scope: a map of tables to conditions, in a cluster for the tables that hold the rows too.
func (db *DB) filters(s finding.Scope) string {
	if s == (finding.Scope{}) {
		return ""
	}
	var all []string
	for _, table := range slices.Concat(ofAgents, ofAnybody) {
		condition := literal(condition(s, slices.Contains(ofAnybody, table)))
		all = append(all, literal(table)+": "+condition)
		if local := db.ddl.Local(table); local != table {
			all = append(all, literal(local)+": "+condition)
		}
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// condition is that rows are of a scope, or of nobody where those count too.
func condition(s finding.Scope, orNobody bool) string {
	var all []string
	for _, p := range [][2]string{{"agent_name", s.Agent}, {"environment", s.Environment}, {"team", s.Team}} {
		switch {
		case p[1] == "":
		case orNobody:
			all = append(all, fmt.Sprintf("%s IN (%s, '')", p[0], literal(p[1])))
		default:
			all = append(all, fmt.Sprintf("%s = %s", p[0], literal(p[1])))
		}
	}
	return strings.Join(all, " AND ")
}

// literal writes a text as ClickHouse reads it back.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\x00", `\0`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + "'"
}
