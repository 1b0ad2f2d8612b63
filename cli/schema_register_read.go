package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// definition is one definition of a file.
type definition struct {
	file string
	def  events.ToolDefinition
	// earlier says that another one of the same tool comes after it: it never becomes active.
	earlier bool
}

// readDefinitions reads all definitions of files and directories. What can't be read is refused, and the rest is read all the same.
func (p *program) readDefinitions(paths []string, o registerOptions) (defs []definition, refused []registered) {
	for _, path := range paths {
		files, err := filesOf(path)
		if err != nil {
			refused = append(refused, registered{File: path, Change: changeRefused, Error: err.Error()})
		}
		seen := map[string]string{}
		for _, file := range files {
			more, bad := readDefinitionFile(file, o, seen)
			defs, refused = append(defs, more...), append(refused, bad...)
		}
	}
	later := map[drift.Key]bool{}
	for i := len(defs) - 1; i >= 0; i-- {
		k := defs[i].key()
		defs[i].earlier = later[k]
		later[k] = true
	}
	return defs, refused
}

func (d *definition) key() drift.Key { return drift.Key{Server: d.def.Server, Tool: d.def.ToolName} }

// isKnown reports that a document has a definition's version, or had it.
func (d *definition) isKnown(doc *drift.Document) bool {
	is := func(version, schema string) bool {
		return schema == d.def.SchemaDigest || d.def.SchemaVersion != "" && version == d.def.SchemaVersion
	}
	return slices.ContainsFunc(doc.Versions, func(v drift.VersionEntry) bool { return is(v.Version, v.SchemaDigest) }) ||
		slices.ContainsFunc(doc.Dropped, func(v drift.DroppedVersion) bool { return is(v.Version, v.SchemaDigest) })
}

// filesOf lists a file, or the .json files of a directory.
func filesOf(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open schemas: %w", errors.Unwrap(err))
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	files, err := filepath.Glob(filepath.Join(escapeGlob(path), "*.json"))
	if err != nil || len(files) == 0 {
		return nil, errors.New("no .json files")
	}
	slices.Sort(files)
	return files, nil
}

// readDefinitionFile reads the releases of one file; seen holds the names of the files before it in the same directory.
func readDefinitionFile(file string, o registerOptions, seen map[string]string) (defs []definition, refused []registered) {
	releases, err := readReleases(file)
	if err != nil {
		return nil, []registered{{File: file, Change: changeRefused, Error: err.Error()}}
	}
	for i := range releases {
		r := &releases[i]
		if len(releases) > 1 {
			seen = map[string]string{}
		}
		for n, raw := range r.Tools {
			def, err := toDefinition(raw, r, o)
			if err == nil {
				err = once(seen, def.Server+"\x00"+def.ToolName, file)
			}
			if err != nil {
				at := fmt.Sprintf("definition %d", n+1)
				if r.Name != "" {
					at += " of " + r.Name
				}
				refused = append(refused, registered{File: file, Server: def.Server, Tool: def.ToolName, Change: changeRefused, Error: at + ": " + err.Error()})
				continue
			}
			defs = append(defs, definition{file: file, def: def})
		}
	}
	return defs, refused
}

// once refuses a name that is in the same list already: one would take the other's place.
func once(seen map[string]string, name, file string) error {
	before, again := seen[name]
	if !again {
		seen[name] = file
		return nil
	}
	return fmt.Errorf("the tool is in the same list twice, first in %s", before)
}

// errProviderRun says that there is nothing to register of a tool.
var errProviderRun = errors.New("no name, or a tool that the provider runs: it has no schema")

// toDefinition makes an event's definition of one in a file.
func toDefinition(raw jsontext.Value, r *drift.Release, o registerOptions) (events.ToolDefinition, error) {
	def := events.ToolDefinition{Server: r.Server, Release: r.Name, Definition: raw}
	if o.server != "" {
		def.Server = o.server
	}
	raw, err := namedSchema(raw, o.tool)
	if err != nil {
		return def, err
	}
	def.Definition = raw
	t, err := events.ParseTool(raw)
	if err != nil {
		return def, err
	}
	if t.ProviderRun && len(t.Schema) == 0 {
		return def, errProviderRun
	}
	def.ToolName, def.SchemaVersion = t.Name, o.version
	if def.SchemaVersion == "" {
		def.SchemaVersion = statedVersion(t.Schema)
	}
	if _, err = stream.Key(def.Server, def.ToolName); err != nil {
		return def, err
	}
	digests, err := events.Digester{}.Tool(raw)
	def.WireDigest, def.DefinitionDigest, def.SchemaDigest = digests.Wire, digests.Definition, digests.Schema
	return def, err
}

var (
	errNamelessSchema = errors.New("a schema without a tool's name: say it with --tool NAME")
	errHasName        = errors.New("--tool is for a bare schema; this definition has a name")
)

// namedSchema gives a bare schema the name of its tool. A definition has its own.
func namedSchema(raw jsontext.Value, name string) (jsontext.Value, error) {
	var members map[string]jsontext.Value
	if nameOf(raw) != bareSchema || json.Unmarshal(raw, &members) != nil || len(members) != 2 || members["inputSchema"] == nil {
		if name != "" && nameOf(raw) != name {
			return raw, errHasName
		}
		return raw, nil
	}
	if name == "" {
		return raw, errNamelessSchema
	}
	named, err := json.Marshal(map[string]any{"name": name, "inputSchema": members["inputSchema"]}, json.Deterministic(true))
	if err != nil {
		return raw, fmt.Errorf("name schema: %w", err)
	}
	return named, nil
}

// tried is a tool's document as a dry run has left it; nil where there is none.
func (r *registrar) tried(ctx context.Context, k drift.Key) (*drift.Document, error) {
	if d := r.trial[k]; d != nil {
		return d, nil
	}
	key, err := keyOf(k)
	if err != nil {
		return nil, err
	}
	e, err := r.b.registry.Get(ctx, key)
	if errors.Is(err, stream.ErrNoKey) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return drift.DecodeDocument(e.Value)
}
