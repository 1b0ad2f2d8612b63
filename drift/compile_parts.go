package drift

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// manyPlaces is how many places a schema may have, deep ones counted more often, before it is checked part by part. The library checks a whole and
// says of each wrong place where it is, in 40 KB and more the deeper it stands.
const manyPlaces = 5_000

// checkParts checks each schema in a large one by itself against the draft's own schema, and stops at the first that is wrong. It looks into every
// keyword that holds schemas in some draft, where the library looks into those of this draft and whatever is referred to.
func (p *preparer) checkParts(d *jsonschema.Draft) error {
	if 8*p.schemas+p.far <= manyPlaces {
		return nil
	}
	return checkPart([]*jsonschema.Schema{metaOf(d.URL())}, p.doc, "")
}

// checkPart checks one schema and those inside it. Where a part says that it is of another draft, it has to fit both.
func checkPart(metas []*jsonschema.Schema, v any, path string) error {
	m, ok := v.(map[string]any)
	if !ok {
		return nil // looked at with what holds it
	}
	if said, ok := m["$schema"].(string); ok {
		if path == "" {
			metas = nil // that of the whole is the one it says
		}
		if meta := metaOf(said); meta != nil {
			metas = append(slices.Clip(metas), meta)
		}
	}
	for _, meta := range metas {
		var invalid *jsonschema.ValidationError
		if errors.As(meta.Validate(alone(m)), &invalid) {
			e := wrongSchema(invalid)
			e.Path = path + e.Path
			return e
		}
	}
	return eachPart(m, path, func(in any, at string) error { return checkPart(metas, in, at) })
}

// eachPart does something with each schema that stands in another one, in the order of their names, until it fails.
func eachPart(m map[string]any, path string, do func(in any, at string) error) error {
	for _, keyword := range slices.Sorted(maps.Keys(m)) {
		at := path + "/" + keyword
		parts := map[string]any{}
		switch in := m[keyword].(type) {
		case []any:
			for i := 0; i < len(in) && holdsSchemas(keyword); i++ {
				if err := do(in[i], at+"/"+strconv.Itoa(i)); err != nil {
					return err
				}
			}
		case map[string]any:
			if holdsNamed(keyword) {
				parts = in
			} else if holdsSchemas(keyword) {
				if err := do(in, at); err != nil {
					return err
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			if err := do(parts[name], at+"/"+escapePointer(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// alone copies a schema with empty ones in place of those inside it.
func alone(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for keyword, value := range m {
		out[keyword] = value
		switch in := value.(type) {
		case map[string]any:
			if holdsSchemas(keyword) {
				out[keyword] = map[string]any{}
			}
			if holdsNamed(keyword) {
				table := make(map[string]any, len(in))
				for name, schema := range in {
					table[name] = emptied(schema)
				}
				out[keyword] = table
			}
		case []any:
			if holdsSchemas(keyword) {
				list := make([]any, len(in))
				for i, schema := range in {
					list[i] = emptied(schema)
				}
				out[keyword] = list
			}
		}
	}
	return out
}

func emptied(schema any) any {
	if _, ok := schema.(map[string]any); ok {
		return map[string]any{}
	}
	return schema
}

// metas are the drafts' own schemas by their addresses.
var metas = struct {
	sync.Mutex
	of map[string]*jsonschema.Schema
}{of: map[string]*jsonschema.Schema{}}

// metaOf returns a draft's own schema, nil for a draft that is not known.
func metaOf(url string) *jsonschema.Schema {
	if !knownDialect(url) {
		return nil
	}
	metas.Lock()
	defer metas.Unlock()
	meta, ok := metas.of[url]
	if !ok {
		c := jsonschema.NewCompiler()
		c.LoadURL = func(string) (io.ReadCloser, error) { return nil, errOutside }
		meta, _ = c.Compile(url) // the library has it; nothing is fetched
		metas.of[url] = meta
	}
	return meta
}
