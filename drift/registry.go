package drift

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// maxRegistered is how many tools a registry knows; further ones are not registered.
	maxRegistered = 1 << 14
	// maxVersions is how many versions of a tool it knows, the newest.
	maxVersions = 16
)

// Registry knows the versions of tools from their definitions, in memory. The first definition with a schema not seen before
// becomes the active version; seeing an older one again changes nothing. It is for any number of goroutines.
type Registry struct {
	mu    sync.RWMutex
	tools map[toolKey]*Versions
	seen  map[toolKey][]string
}

type toolKey struct{ server, tool string }

// NewRegistry returns a registry that knows no tool.
func NewRegistry() *Registry {
	return &Registry{tools: map[toolKey]*Versions{}, seen: map[toolKey][]string{}}
}

// Add registers a definition. The version is named by its schema version, else by its schema's digest; versions that the owner
// named have the oldest as fallback, the others the active one. The error is a definition that can't be compiled.
func (r *Registry) Add(d *events.ToolDefinition) error {
	key := toolKey{d.Server, d.ToolName}
	digest := d.SchemaVersion + "\x00" + d.SchemaDigest
	if r.knows(key, digest) {
		return nil
	}
	schema, err := Compile(d.Definition)
	if err != nil {
		return fmt.Errorf("register %q: %w", d.ToolName, err)
	}
	v := Version{Name: cmp.Or(d.SchemaVersion, "schema-"+d.SchemaDigest[:min(len(d.SchemaDigest), 12)]), Schema: schema}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.activate(key, digest, v, d.SchemaVersion != "")
	return nil
}

// knows reports whether a definition was seen, or there is no room for its tool.
func (r *Registry) knows(key toolKey, digest string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.tools[key] == nil {
		return len(r.tools) >= maxRegistered
	}
	return contains(r.seen[key], digest)
}

// activate puts a version before those that are known. What is there is not changed: calls may be judged against it just now.
func (r *Registry) activate(key toolKey, digest string, v Version, named bool) {
	if contains(r.seen[key], digest) {
		return
	}
	next := &Versions{Active: v}
	if was := r.tools[key]; was != nil {
		next.Legacy = append(append(next.Legacy, was.Legacy...), was.Active)
		next.Legacy = next.Legacy[max(0, len(next.Legacy)-maxVersions+1):]
	}
	if !named {
		next.Fallback = v.Name
	}
	r.tools[key] = next
	r.seen[key] = append(r.seen[key], digest)
	if n := len(r.seen[key]); n > 4*maxVersions {
		r.seen[key] = append([]string(nil), r.seen[key][n-4*maxVersions:]...)
	}
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// Versions returns what is known of a tool, nil when nothing is. The caller does not change it.
func (r *Registry) Versions(server, tool string) *Versions {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.tools[toolKey{server, tool}]
}

// Classify judges a call that holds its arguments and has no class, and writes the verdict into it. It reports whether it did.
func (r *Registry) Classify(c *events.ToolCall) bool {
	if c.DriftClass != "" || len(c.Arguments) == 0 {
		return false
	}
	v := Classify(r.Versions(c.Server, cmp.Or(c.ResolvedName, c.ToolName)), Call{
		Version: c.SchemaVersion, Arguments: c.Arguments, Migrated: c.Migration != "",
	})
	if v.Class == "" {
		return false
	}
	v.Apply(c)
	return true
}
