package activation

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// book is what texts and arrays are made of: each name once, in an order that does not depend on the order of the tools.
type book struct {
	// byServer is by server and name, byName by name alone; all compare bytes.
	byServer []*entry
	byName   []*entry
	find     map[string]*entry
}

// entry is a tool that may be shown to a model.
type entry struct {
	name, server string
	deferred     bool
	// definition is what was given; nil where it is no JSON object.
	definition jsontext.Value
	// description and required are what it says; required is sorted, each once.
	description string
	required    []string
	// differs says that another tool of the name has another definition.
	differs bool
	// wrong is why there is no definition, or why it can't be read.
	wrong error
}

// makeBook reads the tools' definitions.
func (r *Roster) makeBook() *book {
	return r.bookOf(func(i int) *entry { return newEntry(&r.tools[i]) })
}

// bookOf lists the tools that are allowed and whose server is connected. A name that is denied once is not listed. The entries are the book's own.
func (r *Roster) bookOf(entryOf func(i int) *entry) *book {
	b := &book{find: make(map[string]*entry, len(r.tools))}
	denied := map[string]bool{}
	for i := range r.tools {
		t := &r.tools[i]
		if t.Denied {
			denied[t.Name] = true
		} else if r.isConnected(t.Server) {
			e := entryOf(i)
			if e.name != t.Name { // the roster wrote the server before it
				e.name, e.definition = t.Name, t.Definition
			}
			b.add(e)
		}
	}
	for name, e := range b.find {
		if !denied[name] {
			b.byName = append(b.byName, e)
		} else {
			delete(b.find, name)
		}
	}
	slices.SortFunc(b.byName, func(x, y *entry) int { return cmp.Compare(x.name, y.name) })
	b.byServer = slices.Clone(b.byName)
	slices.SortStableFunc(b.byServer, func(x, y *entry) int { return cmp.Compare(x.server, y.server) })
	return b
}

// add keeps the entry, or of two with one name the one that comes first by server and by definition.
func (b *book) add(e *entry) {
	old, taken := b.find[e.name]
	if !taken {
		b.find[e.name] = e
		return
	}
	deferred, differs := old.deferred && e.deferred, old.differs || !bytes.Equal(e.definition, old.definition)
	if e.compare(old) < 0 {
		b.find[e.name] = e
	}
	b.find[e.name].deferred, b.find[e.name].differs = deferred, differs
}

// compare orders two entries of one name: by server, one with a definition first, and by the definition's bytes.
func (e *entry) compare(o *entry) int {
	if c := cmp.Compare(e.server, o.server); c != 0 {
		return c
	}
	if (e.definition == nil) != (o.definition == nil) {
		return cmp.Compare(len(o.definition), len(e.definition))
	}
	return bytes.Compare(e.definition, o.definition)
}

// newEntry reads a tool's definition.
func newEntry(t *Tool) *entry {
	e, _ := readTool(t)
	return e
}

// readTool reads a tool's definition; the second result is zero where it can't be read.
func readTool(t *Tool) (*entry, events.Tool) {
	e := &entry{name: t.Name, server: t.Server, deferred: t.Deferred}
	if e.wrong = checkObject(t.Definition); e.wrong != nil {
		return e, events.Tool{}
	}
	e.definition = t.Definition
	def, err := events.ParseTool(t.Definition)
	switch {
	case err != nil:
		e.wrong = fmt.Errorf("read definition: %w", err)
		return e, events.Tool{}
	case def.Name != t.Name:
		e.wrong = fmt.Errorf("definition is of %s", quoteName(def.Name))
	}
	e.description, e.required = def.Description, requiredOf(def.Schema)
	return e, def
}

// errNoDefinition says that a tool has no definition at all.
var errNoDefinition = errors.New("no definition")

// checkObject reports what is not one JSON object in valid UTF-8, which would spoil the whole request that it is sent in.
func checkObject(v jsontext.Value) error {
	switch {
	case len(v) == 0:
		return errNoDefinition
	case !v.IsValid(jsontext.AllowDuplicateNames(true)):
		return errors.New("definition is not valid JSON")
	case v.Kind() != jsontext.KindBeginObject:
		return errors.New("definition is not an object")
	}
	return nil
}

// requiredOf returns the names of an input schema's required arguments, sorted: the keyword is a set, and some servers write it in
// another order each time.
func requiredOf(schema jsontext.Value) []string {
	var s struct {
		Required []string `json:"required"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	slices.Sort(s.Required)
	return slices.Compact(s.Required)
}

// CheckDefinitions names every tool that can't be put before a model as it should be: without a definition, with two, with one that is not
// JSON or can't be read, or with one that bears another name, and names that are too long with their server before them. [Roster.Text] lists such tools by name all the same; [Roster.Array]
// leaves out those that have no JSON object. It returns nil when all is well.
func (r *Roster) CheckDefinitions() error {
	var errs []error
	for _, e := range r.book().byName {
		if e.wrong != nil {
			errs = append(errs, fmt.Errorf("tool %s: %w", quoteName(e.name), e.wrong))
		}
		if e.differs {
			errs = append(errs, fmt.Errorf("tool %s: has two definitions; the model is shown one", quoteName(e.name)))
		}
		if i := r.byName[e.name]; r.tools[i].NameOnServer != "" && len(e.name) > maxSanitised {
			errs = append(errs, fmt.Errorf("tool %s: several servers have %s, and with its server the name is longer than %d bytes",
				quoteName(e.name), quoteName(r.tools[i].NameOnServer), maxSanitised))
		}
	}
	return errors.Join(errs...)
}

// canSend reports whether a tool's definition can be sent to a model. A roster without any definition only looks names up, and the agent has
// them elsewhere.
func (r *Roster) canSend(t *Tool) bool {
	if !slices.ContainsFunc(r.tools, func(t Tool) bool { return len(t.Definition) > 0 }) {
		return true
	}
	e, ok := r.book().find[t.Name]
	return ok && e.definition != nil
}
