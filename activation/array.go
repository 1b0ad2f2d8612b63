package activation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Array returns the definitions of a request's tools, sorted by name: of those that need no loading and of those that were loaded,
// by the names they are called by. A tool that is not in the roster, not allowed, not connected or without a definition is left
// out, see [Roster.CheckDefinitions]. No definition is marked as deferred. The bytes are those that were given, but for the mark. Within a
// conversation use a [ToolArray], which never takes a tool away.
func (r *Roster) Array(loaded ...string) []jsontext.Value {
	return sentDefinitions(merge(nil, r.shown(loaded), false))
}

// callable returns the names of the tools that need no loading, and of those that were loaded.
func (r *Roster) callable(loaded []string) map[string]bool {
	names := make(map[string]bool, len(loaded))
	for _, e := range r.book().byName {
		if !e.deferred {
			names[e.name] = true
		}
	}
	for _, name := range loaded {
		if i, ok := r.exact(name); ok {
			names[r.tools[i].Name] = true
		}
	}
	return names
}

// DeferProof names a model for which definitions may be sent deferred, and the real calls that proved it. A provider that takes the
// mark and ignores it puts every definition before the model; one that hides a definition and never unfolds it loses the tool.
type DeferProof struct {
	// Model is the model's exact name, as requests have it.
	Model string `yaml:"model"`
	// Hidden is where it was seen that deferred definitions are not counted as input: the id of a request, a link.
	Hidden string `yaml:"hidden"`
	// Unfolded is where it was seen that the model called a deferred tool after it was loaded, with arguments of its schema.
	Unfolded string `yaml:"unfolded"`
}

// ArrayOptions are the rules of a [ToolArray].
type ArrayOptions struct {
	// Defer are the models that get deferred definitions; nil is as the roster's [RosterSettings] say, by default none. All other models get the loaded tools, plain.
	Defer []DeferProof `yaml:"defer"`
}

// Validate reports entries of the list that don't name a model or a proof, each by its place.
func (o ArrayOptions) Validate() error {
	var errs []error
	for i, p := range o.Defer {
		for _, f := range [...]struct{ name, value string }{{"model", p.Model}, {"hidden", p.Hidden}, {"unfolded", p.Unfolded}} {
			if f.value == "" {
				errs = append(errs, fmt.Errorf("defer[%d].%s is empty: a model is on the list when a real call of it proved both", i, f.name))
			}
		}
	}
	return errors.Join(errs...)
}

// defers reports whether a model gets deferred definitions.
func (o ArrayOptions) defers(model string) bool {
	return slices.ContainsFunc(o.Defer, func(p DeferProof) bool {
		return p.Model == model && p.Hidden != "" && p.Unfolded != ""
	})
}

// ToolArray is the tools array of one conversation. It is sorted by name, and what it once had it keeps, in the same bytes: a tool that
// was removed, denied or changed meanwhile is for the gate to judge, since taking it out would cost the conversation's whole cache. It is for
// one goroutine at a time.
type ToolArray struct {
	roster  *Roster
	options ArrayOptions
	loaded  []string
	// plain and deferred have what models of either kind were sent, sorted by name.
	plain, deferred []sent
}

// sent is a definition that was sent.
type sent struct {
	name       string
	definition jsontext.Value
}

// NewToolArray returns the array of a conversation that starts. Start another one where the conversation's cache is lost anyway,
// as after a compaction, to be rid of what is not needed any more.
func NewToolArray(r *Roster, o ArrayOptions) (*ToolArray, error) {
	if o.Defer == nil && r != nil {
		o = r.settings.Roster.Array
	}
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("check array options: %w", err)
	}
	return &ToolArray{roster: r, options: o}, nil
}

// SetRoster puts another roster in force, as when tools or permissions changed outside the conversation.
func (a *ToolArray) SetRoster(r *Roster) { a.roster = r }

// Next returns the array of the next request, to a model: for one on the list every tool, those that need loading with
// "defer_loading":true and all of their description, whatever is loaded; for any other the tools that need no loading, and all that were loaded
// in this conversation, these included. The caller does not change the definitions.
func (a *ToolArray) Next(model string, loaded ...string) []jsontext.Value {
	for _, name := range loaded {
		if !slices.Contains(a.loaded, name) {
			a.loaded = append(a.loaded, name)
		}
	}
	if a.options.defers(model) {
		a.deferred = merge(a.deferred, a.roster.all(), true)
		return sentDefinitions(a.deferred)
	}
	a.plain = merge(a.plain, a.roster.shown(a.loaded), false)
	return sentDefinitions(a.plain)
}

// shown returns the tools of a plain array, sorted by name.
func (r *Roster) shown(loaded []string) []*entry {
	if r == nil {
		return nil
	}
	names := r.callable(loaded)
	var all []*entry
	for _, e := range r.book().byName {
		if names[e.name] {
			all = append(all, e)
		}
	}
	return all
}

// all returns all tools, sorted by name.
func (r *Roster) all() []*entry {
	if r == nil {
		return nil
	}
	return r.book().byName
}

// merge adds to what was sent the tools that were not, in the order of names, those that need loading marked where marking is on.
func merge(before []sent, now []*entry, mark bool) []sent {
	all := before
	for _, e := range now {
		_, found := slices.BinarySearchFunc(before, e.name, func(s sent, name string) int { return cmp.Compare(s.name, name) })
		if !found && e.definition != nil {
			all = append(all, sent{e.name, setDeferred(e.definition, mark && e.deferred)})
		}
	}
	if len(all) > len(before) {
		slices.SortFunc(all, func(x, y sent) int { return cmp.Compare(x.name, y.name) })
	}
	return all
}

// sentDefinitions returns the definitions alone.
func sentDefinitions(all []sent) []jsontext.Value {
	out := make([]jsontext.Value, len(all))
	for i, s := range all {
		out[i] = s.definition
	}
	return out
}

// deferMember marks a definition as deferred, in the APIs that know the mark. It belongs on the tool's object itself: beside name in Anthropic's
// Messages and OpenAI's Responses, beside function where a gateway takes it in Chat Completions, which has no such mark of its own. A namespace and
// an MCP server, which have one too, are no tools of a [Roster].
const (
	deferMember    = "defer_loading"
	functionMember = "function"
)

// setDeferred returns a definition, which is an object, with the mark or without. All other bytes stay, but for white space between members
// where the mark has to be changed.
func setDeferred(def jsontext.Value, on bool) jsontext.Value {
	if !on && !bytes.Contains(def, []byte(deferMember)) && !bytes.Contains(def, []byte(`\u`)) {
		return def
	}
	out, found := withoutMember(def, deferMember, functionMember)
	if !on {
		if !found {
			return def
		}
		return append(out, '}')
	}
	if len(out) > 1 {
		out = append(out, ',')
	}
	return append(out, `"`+deferMember+`":true}`...)
}

// withoutMember copies an object without one of its members, there and in the object that another one holds, and without its closing brace. It
// says whether the member was there.
func withoutMember(object jsontext.Value, name, also string) (out []byte, found bool) {
	d := jsontext.NewDecoder(bytes.NewReader(object), jsontext.AllowDuplicateNames(true))
	out = append(make([]byte, 0, len(object)+len(deferMember)+len(`,"":true`)), '{')
	if _, err := d.ReadToken(); err != nil {
		return out, false
	}
	for d.PeekKind() == jsontext.KindString {
		start := len(out)
		if start > 1 {
			out = append(out, ',')
		}
		key, err := d.ReadValue()
		if err != nil {
			return out, found
		}
		member := unquoted(key)
		out = append(append(out, key...), ':')
		value, err := d.ReadValue()
		if err != nil {
			return out, found
		}
		if member == also && value.Kind() == jsontext.KindBeginObject {
			if inner, within := withoutMember(value, name, ""); within {
				value, found = append(inner, '}'), true
			}
		}
		if out = append(out, value...); member == name {
			out, found = out[:start], true
		}
	}
	return out, found
}

func unquoted(quoted jsontext.Value) string {
	s, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return ""
	}
	return string(s)
}
