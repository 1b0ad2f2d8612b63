package drift

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
)

// prepare reads a schema within the limits and rewrites what real definitions hold and the library can't take: type names in
// capitals, dialects nobody knows, and patterns that Go's regular expressions can't or shouldn't check.
func prepare(raw []byte, l Limits) (p *preparer, err error) {
	if len(raw) > l.SchemaBytes {
		return nil, &CompileError{Reason: "schema of " + strconv.Itoa(len(raw)) + " bytes", err: ErrLimit}
	}
	doc, _, err := readValue(raw, l.SchemaDepth, l.SchemaNodes, l.ListItems)
	if err != nil {
		return nil, &CompileError{Reason: err.Error(), err: err}
	}
	switch doc.(type) {
	case map[string]any, bool:
	default:
		return nil, &CompileError{Reason: "want an object, true or false"}
	}
	dropUnstableID(doc)
	p = &preparer{doc: doc, limit: l.PatternSize, patterns: map[string]int{}}
	p.schema(doc, "", 0)
	if p.schemas > l.Schemas {
		return nil, &CompileError{Reason: strconv.Itoa(p.schemas) + " schemas in one", err: ErrLimit}
	}
	slices.Sort(p.unchecked)
	return p, nil
}

// preparer is a schema while and after it is rewritten.
type preparer struct {
	doc     any
	limit   int
	schemas int
	// far is the sum of the squares of how deep in other schemas each of them stands.
	far       int
	unchecked []string
	// patterns has the size of each pattern's compiled form.
	patterns map[string]int
}

// schema rewrites a schema in place, and those inside it.
func (p *preparer) schema(v any, path string, depth int) {
	p.schemas++
	p.far += depth * depth
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	p.keywords(m, path)
	for name, value := range m {
		if !holdsSchemas(name) && !holdsNamed(name) {
			continue
		}
		at := path + "/" + name
		switch inner := value.(type) {
		case map[string]any:
			p.object(name, inner, at, depth+1)
		case []any:
			for i := range inner {
				if holdsSchemas(name) {
					p.schema(inner[i], at+"/"+strconv.Itoa(i), depth+1)
				}
			}
		}
	}
}

// object rewrites a member that is a schema or a table of schemas.
func (p *preparer) object(name string, inner map[string]any, at string, depth int) {
	switch {
	case holdsNamed(name):
		if name == "patternProperties" {
			p.names(inner, at)
		}
		for n, e := range inner {
			p.schema(e, at+"/"+escapePointer(n), depth)
		}
	case holdsSchemas(name):
		p.schema(inner, at, depth)
	}
}

func (p *preparer) keywords(m map[string]any, path string) {
	if said, ok := m["$schema"].(string); ok && !knownDialect(said) {
		delete(m, "$schema")
	}
	switch t := m["type"].(type) {
	case string:
		m["type"] = lowerType(t)
	case []any:
		for i := range t {
			if s, ok := t[i].(string); ok {
				t[i] = lowerType(s)
			}
		}
	}
	if s, ok := m["pattern"].(string); ok && !p.checkable(s) {
		p.unchecked = append(p.unchecked, path+"/pattern")
		delete(m, "pattern")
	}
}

// names drops patterns of names that can't be checked; then any name has to be taken as known.
func (p *preparer) names(m map[string]any, at string) {
	for name := range m {
		if p.checkable(name) {
			continue
		}
		p.unchecked = append(p.unchecked, at+"/"+escapePointer(name))
		delete(m, name)
		m[""] = true // the empty pattern matches every name
	}
}

// checkable reports whether Go reads a pattern and its compiled form is small.
func (p *preparer) checkable(pattern string) bool {
	if len(pattern) > p.limit {
		return false
	}
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil || len(prog.Inst) > p.limit {
		return false
	}
	if _, err = regexp.Compile(pattern); err != nil {
		return false
	}
	p.patterns[pattern] = len(prog.Inst)
	return true
}

func knownDialect(url string) bool {
	url = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://"), "#")
	switch url {
	case "json-schema.org/draft-04/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-07/schema",
		"json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2020-12/schema":
		return true
	}
	return false
}

// lowerType turns STRING, as some APIs write it, into string.
func lowerType(t string) string {
	if strings.ToUpper(t) == t {
		return strings.ToLower(t)
	}
	return t
}

// holdsSchemas names the keywords whose value is a schema or a list of schemas.
func holdsSchemas(keyword string) bool {
	switch keyword {
	case "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "additionalProperties",
		"unevaluatedProperties", "propertyNames", "if", "then", "else", "not", "allOf", "anyOf", "oneOf", "contentSchema":
		return true
	}
	return false
}

// holdsNamed names the keywords whose value is a table of schemas.
func holdsNamed(keyword string) bool {
	switch keyword {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return true
	}
	return false
}

func escapePointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
