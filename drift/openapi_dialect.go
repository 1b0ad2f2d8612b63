package drift

import (
	"encoding/json"
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

// dialectOf reads a schema and says by which dialect it is judged: the one that it names, else the first of those tried that it is
// valid by. The error is a schema that can't be compiled.
func dialectOf(raw []byte, l Limits) (doc any, dialect int, err error) {
	if _, err := CompileSchema(raw, l); err != nil {
		return nil, 0, err
	}
	doc, _, err = readValue(raw, l.SchemaDepth, l.SchemaNodes, l.ListItems)
	if err != nil {
		return nil, 0, err
	}
	p, err := prepare(raw, l)
	if err != nil {
		return nil, 0, err
	}
	if m, ok := p.doc.(map[string]any); ok {
		if said, ok := m["$schema"].(string); ok {
			return doc, dialectNamed(said), nil
		}
	}
	text, err := json.Marshal(p.doc)
	if err != nil {
		return nil, 0, err
	}
	for _, d := range drafts {
		if _, err := compileDraft(text, d); err == nil {
			return doc, dialectNamed(d.URL()), nil
		}
	}
	return doc, dialectNamed(jsonschema.Draft2020.URL()), nil
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
