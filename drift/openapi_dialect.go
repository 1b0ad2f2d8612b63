package drift

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The dialects of JSON Schema, by the number that tells which came first.
const (
	dialect4    = 4
	dialect6    = 6
	dialect7    = 7
	dialect2019 = 2019
	dialect2020 = 2020
)

// judged is a schema with what it is judged by.
type judged struct {
	// doc is the schema as it came, but for numbers that are too large.
	doc      any
	dialect  int
	schema   *Schema
	compiler *jsonschema.Compiler
	// steps is how many times parts of the schema may still be applied to its own values.
	steps int
}

// newJudged reads a schema and finds the dialect that it is judged by: the one that it names, else the first of those tried that it is
// valid by. The error is a schema that can't be compiled.
func newJudged(raw []byte, l Limits) (*judged, error) {
	s, err := CompileSchema(raw, l)
	if err != nil {
		return nil, err
	}
	doc, _, err := readValue(raw, l.SchemaDepth, l.SchemaNodes, l.ListItems)
	if err != nil {
		return nil, err
	}
	p, err := prepare(raw, l)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(p.doc)
	if err != nil {
		return nil, err
	}
	j := &judged{doc: doc, schema: s, steps: maxJudgedSteps}
	for _, d := range draftsOf(p.doc) {
		c := newCompiler(d)
		if err := c.AddResource(schemaURL, bytes.NewReader(text)); err != nil {
			continue
		}
		if _, err := c.Compile(schemaURL); err == nil {
			j.compiler, j.dialect = c, dialectNamed(d.URL())
			break
		}
	}
	if m, ok := p.doc.(map[string]any); ok && m["$schema"] != nil {
		said, _ := m["$schema"].(string)
		j.dialect = dialectNamed(said)
	}
	return j, nil
}

// maxJudgedSteps bounds holding a schema's own defaults and examples against it: a real one has a few hundred values at most.
const maxJudgedSteps = 200_000

// fits reports that values are known to be valid by the part of the schema at a place.
func (j *judged) fits(place string, values []any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if j.compiler == nil {
		return false
	}
	part, err := j.compiler.Compile(schemaURL + "#" + (&url.URL{Path: place}).EscapedPath())
	if err != nil {
		return false
	}
	for _, v := range values {
		steps, refusal, sure := j.schema.judgePart(part, v, j.steps)
		if j.steps -= steps; !sure || refusal != nil || j.steps <= 0 {
			return false
		}
	}
	return true
}

func dialectNamed(url string) int {
	for part, dialect := range map[string]int{
		"draft-04": dialect4, "draft-06": dialect6, "draft-07": dialect7, "2019-09": dialect2019,
	} {
		if strings.Contains(url, part) {
			return dialect
		}
	}
	return dialect2020
}

// inDialect reports whether a keyword means anything in a dialect; those that are not listed do in all.
func inDialect(keyword string, dialect int) bool {
	switch keyword {
	case "const", "contains", "propertyNames":
		return dialect >= dialect6
	case "if", "then", "else", "contentEncoding", "contentMediaType", "contentSchema":
		return dialect >= dialect7
	case "minContains", "maxContains", "dependentRequired", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties":
		return dialect >= dialect2019
	case "prefixItems", "$dynamicRef":
		return dialect >= dialect2020
	case "additionalItems":
		return dialect <= dialect2019
	case "$recursiveRef":
		return dialect == dialect2019
	}
	return true
}

// isAnnotation names the keywords that say something to a reader alone.
func isAnnotation(keyword string) bool {
	switch keyword {
	case "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "$comment":
		return true
	}
	return strings.HasPrefix(keyword, "x-")
}

// idKeyword is the keyword that names a schema.
func idKeyword(dialect int) string {
	if dialect == dialect4 {
		return "id"
	}
	return "$id"
}
