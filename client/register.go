package client

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// RegisterDefinition puts a tool's definition, in any API's form, into the registry under a version's name (empty: a name made of its
// schema). It is what a tool_definition event does, but now: a schema not seen before becomes the active version, unless people manage the
// tool's versions, and then it becomes a legacy one. It returns when NATS has stored it, at once when that is so already, and waits for
// NATS for as long as the context lets it. A definition that can't be compiled is an error which names the place.
func (c *Client) RegisterDefinition(ctx context.Context, tool drift.Key, version string, definition jsontext.Value) error {
	digests, err := c.config().Digester.Tool(definition)
	if err != nil {
		return fmt.Errorf("register %s: %w", tool, err)
	}
	def := &events.ToolDefinition{
		ToolName: tool.Tool, Server: tool.Server, SchemaVersion: version, Definition: definition,
		WireDigest: digests.Wire, DefinitionDigest: digests.Definition, SchemaDigest: digests.Schema,
	}
	err = c.editDocument(ctx, tool, func(d *drift.Document) (bool, error) { return d.Register(def, c.name(), time.Now(), "") })
	if err != nil {
		return fmt.Errorf("register %s: %w", tool, err)
	}
	return nil
}

// RegisterMigration puts a migration between two registered versions of a tool into the registry, or another one in its place. It returns
// when NATS has stored it.
func (c *Client) RegisterMigration(ctx context.Context, tool drift.Key, m drift.Migration) error {
	err := c.editDocument(ctx, tool, func(d *drift.Document) (bool, error) {
		return d.AddMigration(m, drift.Edit{At: time.Now(), By: c.name()})
	})
	if err != nil {
		return fmt.Errorf("register migration of %s: %w", tool, err)
	}
	return nil
}

// name is who the client is in the registry.
func (c *Client) name() string { return cmp.Or(c.cfg.Context.AgentName, c.cfg.Source) }

// editDocument changes a tool's document; it edits again what somebody else has changed meanwhile.
func (c *Client) editDocument(ctx context.Context, tool drift.Key, edit func(*drift.Document) (bool, error)) error {
	b, err := c.bucket(ctx, stream.RegistryBucket)
	if err != nil {
		return err
	}
	key, err := stream.Key(tool.Server, tool.Tool)
	if err != nil {
		return err
	}
	var next []byte
	revision, err := b.Change(ctx, key, func(old []byte) ([]byte, error) {
		next = nil
		d, err := documentOf(old, tool)
		if err != nil {
			return nil, err
		}
		changed, err := edit(d)
		if err != nil || !changed {
			return nil, err
		}
		next, err = d.Encode()
		return next, err
	})
	if err == nil && next != nil {
		c.know.setDocument(tool, next, revision)
	}
	return err
}

// documentOf decodes a document, or makes the first one of a tool.
func documentOf(data []byte, tool drift.Key) (*drift.Document, error) {
	if len(data) == 0 {
		return drift.NewDocument(tool), nil
	}
	return drift.DecodeDocument(data)
}

// bucket returns a bucket once NATS is there.
func (c *Client) bucket(ctx context.Context, name string) (*stream.Bucket, error) {
	if c == nil || c.s == nil {
		return nil, ErrNotStarted
	}
	if c.buf.get().isClosed() {
		return nil, ErrClosed
	}
	select {
	case <-c.linked:
	case <-c.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for nats: %w", context.Cause(ctx))
	}
	if err := c.dialError(); err != nil {
		return nil, err
	}
	if err := stream.WaitConnected(ctx, c.link.nc); err != nil {
		return nil, err
	}
	return stream.NewBucket(c.link.js, name), nil
}
