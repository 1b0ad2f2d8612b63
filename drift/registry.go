package drift

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

const (
	// maxRegistered is how many tools a registry knows; further ones are not registered.
	maxRegistered = 1 << 14
	// maxRegistryBytes bounds the definitions that a registry holds, in bytes of their JSON. Compiled they take up to 30 times as much
	// (measured on a definition of 1 KB with fourteen arguments): half a gigabyte, for some 16,000 definitions of that size.
	maxRegistryBytes = 16 << 20
	// maxRefused is how many definitions that can't be compiled a registry remembers, so as not to compile them again.
	maxRefused = 1 << 10
)

// ErrFull is in the chain of the error for a tool that a registry has no room for.
var ErrFull = errors.New("the registry is full")

// Registry knows the documents of tools, compiled, in memory. What it hands out is never changed: calls can be judged while documents
// come in. It is for any number of goroutines.
type Registry struct {
	mu    sync.RWMutex
	tools map[Key]*registered
	bytes int
	// refused has the errors of definitions that can't be compiled, by the digest of their bytes.
	refused map[[sha256.Size]byte]error
}

// registered is one tool. It is replaced as a whole.
type registered struct {
	doc *Document
	// base is for conversations outside of the canary, canary for those in it.
	base, canary *Versions
	compiled     map[[sha256.Size]byte]*Schema
	bytes        int
}

// NewRegistry returns a registry that knows no tool.
func NewRegistry() *Registry {
	return &Registry{tools: map[Key]*registered{}, refused: map[[sha256.Size]byte]error{}}
}

// Put takes a document in the place of the one that the tool had. Schemas that are as they were are not compiled again. The document must
// not be changed any more. A version whose schema can't be compiled is left out and the others serve: the error then joins one for each,
// naming tool, version and place. A document that is not valid, or that there is no room for ([ErrFull]), changes nothing.
func (r *Registry) Put(d *Document) error {
	if err := d.Validate(); err != nil {
		return fmt.Errorf("register %s: %w", d.Key(), err)
	}
	was := r.get(d.Key())
	next, failed := compileDocument(d, was)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.install(d.Key(), next); err != nil {
		return err
	}
	return failed
}

// install puts a tool in while there is room. The caller holds the lock.
func (r *Registry) install(k Key, next *registered) error {
	was, n := r.tools[k], next.bytes
	if was != nil {
		n -= was.bytes
	}
	if was == nil && len(r.tools) >= maxRegistered || n > 0 && r.bytes+n > maxRegistryBytes {
		return fmt.Errorf("register %s: %w", k, ErrFull)
	}
	r.tools[k] = next
	r.bytes += n
	return nil
}

func (r *Registry) get(k Key) *registered {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.tools[k]
}

// Drop forgets a tool.
func (r *Registry) Drop(k Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if was := r.tools[k]; was != nil {
		r.bytes -= was.bytes
		delete(r.tools, k)
	}
}

// Document returns what is known of a tool, nil when nothing is. The caller does not change it, see [Document.Clone].
func (r *Registry) Document(k Key) *Document {
	if t := r.get(k); t != nil {
		return t.doc
	}
	return nil
}

// Knows reports whether a tool is known.
func (r *Registry) Knows(k Key) bool { return r.get(k) != nil }

// Len returns how many tools are known.
func (r *Registry) Len() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return len(r.tools)
}

// Keys returns the tools that are known, sorted by server and tool.
func (r *Registry) Keys() []Key {
	r.mu.RLock()
	keys := make([]Key, 0, len(r.tools))
	for k := range r.tools {
		keys = append(keys, k)
	}
	r.mu.RUnlock()
	slices.SortFunc(keys, func(a, b Key) int { return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool)) })
	return keys
}

// For returns the versions that calls of a conversation are judged by, nil when the tool is not known, and its cohort. While a canary is
// under way, the cohort is canary, with the canary's version as the active one, or baseline; else it is empty. The caller does not change
// the versions.
func (r *Registry) For(k Key, conversation string) (v *Versions, cohort string) {
	t := r.get(k)
	switch {
	case t == nil:
		return nil, ""
	case t.canary == nil:
		return t.base, ""
	case t.doc.Canary.Chooses(conversation):
		return t.canary, CohortCanary
	}
	return t.base, CohortBaseline
}

// Versions returns the versions that calls outside of any canary are judged by, nil when the tool is not known.
func (r *Registry) Versions(server, tool string) *Versions {
	v, _ := r.For(Key{server, tool}, "")
	return v
}

// Add is [Registry.Register] by nobody at no time.
func (r *Registry) Add(def *events.ToolDefinition) error {
	_, err := r.Register(def, "", time.Time{})
	return err
}

// Has reports whether a definition is the one that its version has: registering it would change nothing.
func (r *Registry) Has(def *events.ToolDefinition) bool {
	t := r.get(Key{def.Server, def.ToolName})
	return t != nil && t.has(def)
}

// Register registers a definition as seen in an event, see [Document.Register], in memory only. It reports whether that changed the tool's
// document. The error is a definition that can't be compiled, or [ErrFull].
func (r *Registry) Register(def *events.ToolDefinition, by string, at time.Time) (changed bool, err error) {
	if r.Has(def) {
		return false, nil
	}
	sum := sha256.Sum256(def.Definition)
	if err := r.refusal(sum); err != nil {
		return false, err
	}
	changed, err = r.register(def, by, at)
	if isUnusable(err) {
		r.refuse(sum, err)
	}
	return changed, err
}

// isUnusable reports an error that a definition's bytes will always give.
func isUnusable(err error) bool {
	var schema *CompileError
	var form *events.Error
	return errors.As(err, &schema) || errors.As(err, &form)
}

// register edits a copy of the tool's document; it starts over when another one came in meanwhile.
func (r *Registry) register(def *events.ToolDefinition, by string, at time.Time) (changed bool, err error) {
	k := Key{def.Server, def.ToolName}
	for {
		was := r.get(k)
		d := NewDocument(k)
		if was != nil {
			d = was.doc.Clone()
		}
		if changed, err := d.Register(def, by, at, ""); err != nil || !changed {
			return false, err
		}
		next, failed := compileDocument(d, was)
		done, err := r.swap(k, was, next)
		if err != nil {
			return false, err
		}
		if done {
			return true, failed
		}
	}
}

func (r *Registry) swap(k Key, was, next *registered) (bool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tools[k] != was {
		return false, nil
	}
	return true, r.install(k, next)
}

func (r *Registry) refusal(sum [sha256.Size]byte) error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.refused[sum]
}

func (r *Registry) refuse(sum [sha256.Size]byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.refused) >= maxRefused {
		clear(r.refused)
	}
	r.refused[sum] = err
}

// has reports that a definition is the one that its version has.
func (t *registered) has(def *events.ToolDefinition) bool {
	v := t.doc.Version(cmp.Or(def.SchemaVersion, AutoVersion(def.SchemaDigest)))
	return v != nil && def.DefinitionDigest != "" && v.DefinitionDigest == def.DefinitionDigest && v.SchemaDigest == def.SchemaDigest
}

// Classify judges a call that holds its arguments and has no class, and writes the verdict and the cohort into it, and whose tool it is
// where only its name says so (see [PlaceCall]). It reports whether it did.
func (r *Registry) Classify(c *events.ToolCall) bool {
	if c.DriftClass != "" || len(c.Arguments) == 0 {
		return false
	}
	versions, cohort := r.For(PlaceCall(c, r.Knows), c.ConversationID)
	v := Classify(versions, Call{Version: c.SchemaVersion, Arguments: c.Arguments, Migrated: c.Migration != ""})
	if v.Class == "" {
		return false
	}
	v.Apply(c)
	c.Cohort = cmp.Or(c.Cohort, cohort)
	return true
}
