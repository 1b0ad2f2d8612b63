package store

import (
	"context"
	_ "embed" // for the query
	"time"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

// ToolChangeFilter chooses changes of tools; an empty field lets all pass.
type ToolChangeFilter struct {
	// Window is a span of when they were made.
	Window finding.Window
	// Bucket, Tool and Agent must be equal.
	Bucket, Tool, Agent string
	// Server must be equal; a nil one lets all pass, since "" is the server of an agent's own tools.
	Server *string
	// Documents says that the values are wanted too, up to three quarters of a megabyte each.
	Documents bool
	// Limit is how many to return at most, the newest; 0 is 1,000.
	Limit int
}

//go:embed queries/tool_changes.sql
var toolChangesSQL string

// toolChangeRow is a change as its table has it.
type toolChangeRow struct {
	Bucket    string    `ch:"bucket"`
	Epoch     string    `ch:"epoch"`
	Key       string    `ch:"key"`
	Revision  uint64    `ch:"revision"`
	At        time.Time `ch:"at"`
	Server    string    `ch:"server"`
	Tool      string    `ch:"tool"`
	Agent     string    `ch:"agent"`
	Action    string    `ch:"action"`
	Version   string    `ch:"version"`
	ChangedBy string    `ch:"changed_by"`
	Reason    string    `ch:"reason"`
	Document  string    `ch:"document"`
}

// SaveToolChanges stores changes of tools, in one block. One that is stored already is stored once: it is told by its bucket, epoch, key
// and revision.
func (db *DB) SaveToolChanges(ctx context.Context, changes []events.ToolChange) error {
	return db.writeBlock(ctx, "save tool changes", "INSERT INTO tool_changes", len(changes), func(i int) any {
		row := toolChangeRow(changes[i])
		row.At = storable(row.At)
		return &row
	})
}

// ToolChanges returns the changes that f chooses, the newest first.
func (db *DB) ToolChanges(ctx context.Context, f ToolChangeFilter) ([]events.ToolChange, error) {
	var out []events.ToolChange
	var row toolChangeRow
	server := ""
	if f.Server != nil {
		server = *f.Server
	}
	err := db.Each(ctx, toolChangesSQL, []any{
		f.Documents, f.Bucket, f.Bucket, f.Server == nil, server, f.Tool, f.Tool, f.Agent, f.Agent,
		bound(f.Window.From), f.Window.To.IsZero(), bound(f.Window.To), limit(f.Limit),
	}, &row, func() error {
		c := events.ToolChange(row)
		c.At = c.At.UTC()
		out = append(out, c)
		return nil
	})
	return out, err
}
