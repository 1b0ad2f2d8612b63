package ingest

import (
	"context"
	_ "embed" // definitions.sql
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

//go:embed definitions.sql
var definitionsSQL string

// Classifier is an [Enricher] that judges calls against the definitions that came by, where their sender did not: a call that
// has its arguments and no drift class gets one, with its validation errors, unknown and defaulted arguments. Calls without argument
// values and calls of tools that nobody defined stay as they are.
type Classifier struct {
	registry *drift.Registry
	log      *slog.Logger
	refused  atomic.Int64
}

// NewClassifier returns a classifier that knows no tool yet.
func NewClassifier(log *slog.Logger) *Classifier {
	return &Classifier{registry: drift.NewRegistry(), log: log}
}

// Definitions reads what is stored; see the store's Each.
type Definitions interface {
	Each(ctx context.Context, query string, args []any, row any, fn func() error) error
}

// Load registers the definitions that are stored, for a process that starts after they came by.
func (c *Classifier) Load(ctx context.Context, stored Definitions) error {
	var row struct {
		Server        string `ch:"server"`
		ToolName      string `ch:"tool_name"`
		SchemaVersion string `ch:"schema_version"`
		SchemaDigest  string `ch:"schema_digest"`
		Definition    string `ch:"definition"`
	}
	err := stored.Each(ctx, definitionsSQL, nil, &row, func() error {
		c.register(&events.ToolDefinition{
			ToolName: row.ToolName, Server: row.Server, SchemaVersion: row.SchemaVersion, SchemaDigest: row.SchemaDigest,
			Definition: jsontext.Value(row.Definition),
		})
		return nil
	})
	if err != nil {
		return fmt.Errorf("load tool definitions: %w", err)
	}
	return nil
}

// Enrich registers a definition and judges a call.
func (c *Classifier) Enrich(e *events.Event) {
	switch d := e.Data.(type) {
	case *events.ToolDefinition:
		c.register(d)
	case *events.ToolCall:
		c.registry.Classify(d)
	}
}

// register passes over a definition that can't be compiled: it is stored all the same, and no call is judged against it.
func (c *Classifier) register(d *events.ToolDefinition) {
	if err := c.registry.Add(d); err != nil && c.refused.Add(1) == 1 {
		c.log.Warn("a tool definition can't be used to judge calls; further ones are not logged", slog.Any("error", err))
	}
}
