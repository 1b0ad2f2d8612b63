package mcpserver

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// maxName is how long a tool's name may be, in bytes: as long as a name in a registry's key.
const maxName = 512

// check reads a definition. A tool without digests is none at all; the words say what is wrong with one.
func (p *pager) check(definition jsontext.Value) (Tool, string) {
	parsed, err := events.ParseTool(definition)
	if err != nil {
		return Tool{}, "not a tool: " + reason(err)
	}
	if len(parsed.Name) > maxName {
		return Tool{}, fmt.Sprintf("a name of %d bytes, want %d at most", len(parsed.Name), maxName)
	}
	t := Tool{Name: parsed.Name, Version: stated(parsed.Schema), Definition: definition}
	if p.seen[t.Name] {
		return t, "a second tool of this name, left out"
	}
	if t.Digests, err = p.cfg.Digester.Tool(definition); err != nil {
		return Tool{Name: t.Name}, "not a tool: " + reason(err)
	}
	problem := p.unusable(parsed)
	t.Usable = problem == ""
	return t, problem
}

// unusable says why a tool can't be registered.
func (p *pager) unusable(t events.Tool) string {
	if t.Schema.Kind() != jsontext.KindBeginObject {
		return "no inputSchema, or one that is no object"
	}
	if n := len(t.Raw); n > maxDefinition {
		return fmt.Sprintf("a definition of %d bytes, want %d at most", n, maxDefinition)
	}
	if _, err := drift.CompileSchema(t.Schema, p.cfg.Limits); err != nil {
		return reason(err)
	}
	return ""
}

// maxDefinition leaves room for the rest of the event that carries a definition, in bytes.
const maxDefinition = events.MaxEventBytes - 8<<10

// reason says what is wrong and where, without quoting the definition.
func reason(err error) string {
	var place *events.Error
	if errors.As(err, &place) && place.Path != "" {
		return place.Path + ": " + place.Reason
	}
	if errors.As(err, &place) {
		return place.Reason
	}
	return err.Error()
}

// stated is the version that a tool states itself, by the const of its argument schema_version; empty where it states none.
func stated(schema jsontext.Value) string {
	var s struct {
		Properties struct {
			SchemaVersion struct {
				Const jsontext.Value `json:"const"`
			} `json:"schema_version"`
		} `json:"properties"`
	}
	var version string
	if json.Unmarshal(schema, &s) != nil || json.Unmarshal(s.Properties.SchemaVersion.Const, &version) != nil {
		return ""
	}
	return version
}
