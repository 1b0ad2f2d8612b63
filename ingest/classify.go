package ingest

import (
	"context"
	_ "embed" // definitions.sql
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

//go:embed definitions.sql
var definitionsSQL string

// Classifier is an [Enricher] that judges calls against the registry, where their sender did not: a call that has its arguments and no
// drift class gets one, with its validation errors, unknown and defaulted arguments. Calls without argument values, calls of tools
// that nobody registered and calls by a name that tools of several servers bear stay as they are. A definition that comes by is registered at once, so that the calls right behind it are judged by it.
//
// Before that it looks the call's name up, see [Resolver], so that the call of a bridge is judged as one of the tool that it passes on to.
//
// By itself it knows the definitions that it has seen. With a [Registrar] it knows what the registry's bucket does, too.
type Classifier struct {
	registry *drift.Registry
	// registrar writes to the bucket what is registered here; nil where there is no bucket.
	registrar *Registrar
	// names looks names up; nil looks none up.
	names   *Resolver
	log     *slog.Logger
	refused atomic.Int64
}

// NewClassifier returns a classifier that knows no tool yet.
func NewClassifier(log *slog.Logger) *Classifier {
	return &Classifier{registry: drift.NewRegistry(), names: NewResolver(DefaultResolverConfig(), nil), log: log}
}

// UseResolver replaces the resolver of [DefaultResolverConfig]; nil looks no names up. It is for before the first event.
func (c *Classifier) UseResolver(r *Resolver) { c.names = r }

// Registry returns what calls are judged by.
func (c *Classifier) Registry() *drift.Registry { return c.registry }

// Definitions reads what is stored; see the store's Each.
type Definitions interface {
	Each(ctx context.Context, query string, args []any, row any, fn func() error) error
}

// Load registers the definitions that are stored, for a process that starts after they came by. What the registry's bucket has goes
// before them, where there is a [Registrar].
func (c *Classifier) Load(ctx context.Context, stored Definitions) error {
	if c.registrar != nil {
		c.registrar.load(ctx)
	}
	var row struct {
		Server           string `ch:"server"`
		ToolName         string `ch:"tool_name"`
		SchemaVersion    string `ch:"schema_version"`
		SchemaDigest     string `ch:"schema_digest"`
		DefinitionDigest string `ch:"definition_digest"`
		WireDigest       string `ch:"wire_digest"`
		Release          string `ch:"release"`
		Definition       string `ch:"definition"`
		FirstMicros      int64  `ch:"first_micros"`
	}
	err := stored.Each(ctx, definitionsSQL, nil, &row, func() error {
		d := &events.ToolDefinition{
			ToolName: row.ToolName, Server: row.Server, SchemaVersion: row.SchemaVersion, SchemaDigest: row.SchemaDigest,
			DefinitionDigest: row.DefinitionDigest, WireDigest: row.WireDigest, Release: row.Release, Definition: jsontext.Value(row.Definition),
		}
		c.register(d, time.UnixMicro(row.FirstMicros), true)
		return nil
	})
	if err != nil {
		return fmt.Errorf("load tool definitions: %w", err)
	}
	return nil
}

// Enrich registers a definition, looks a call's name up and judges the call.
func (c *Classifier) Enrich(e *events.Event) {
	u, anybodys := c.names.enrich(e)
	switch d := e.Data.(type) {
	case *events.ToolDefinition:
		c.register(d, e.Time, false)
	case *events.ToolCall:
		if !anybodys {
			c.classify(d, &u)
		}
	}
}

// classify judges a call, or the one inside it; the event keeps the arguments that were given.
func (c *Classifier) classify(d *events.ToolCall, u *activation.Unwrapped) {
	if u.Bridge != "" && len(d.Arguments) > 0 {
		given := d.Arguments
		d.Arguments = innerArguments(u)
		defer func() { d.Arguments = given }()
	}
	c.registry.Classify(d)
}

// registeredBy is who registers what was seen in events.
const registeredBy = "ingest"

// register passes over a definition that can't be compiled: it is stored all the same, and no call is judged against it.
func (c *Classifier) register(d *events.ToolDefinition, at time.Time, stored bool) {
	if c.registry.Has(d) {
		return
	}
	if now := time.Now(); at.After(now) {
		at = now
	}
	var err error
	if c.registrar != nil {
		err = c.registrar.register(d, at, stored)
	} else {
		_, err = c.registry.Register(d, registeredBy, at)
	}
	if err != nil && c.refused.Add(1) == 1 {
		c.log.Warn("a tool definition can't be used to judge calls; further ones are not logged", slog.Any("error", err))
	}
}
