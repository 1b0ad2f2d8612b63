package drift

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// versionArgument is the argument by which a model says which version of a tool's schema it has before it.
const versionArgument = "schema_version"

// WithVersion returns a tool definition, in the form of the API that it has, with a required argument schema_version that is always the
// version's name. One that is there already with a sole value gets this one; any other argument of that name is an error. All else keeps
// its order and its exact text.
func WithVersion(definition jsontext.Value, version string) (jsontext.Value, error) {
	wrap := func(err error) error { return fmt.Errorf("add %s to a definition: %w", versionArgument, err) }
	if err := checkVersionName("", version); err != nil {
		return nil, wrap(err)
	}
	t, err := readTree(definition, definitionLimits())
	if err != nil {
		return nil, wrap(err)
	}
	schema := inputSchema(t.root)
	if schema == nil {
		return nil, wrap(wrongAt("", "the tool has no input schema that is an object"))
	}
	if err := addVersion(schema, version); err != nil {
		return nil, wrap(err)
	}
	return t.encode(), nil
}

// definitionLimits are those of a definition read as a tree.
func definitionLimits() Limits {
	l := DefaultLimits()
	l.ArgumentBytes = MaxDocumentBytes
	l.ArgumentDepth = 2 * l.SchemaDepth
	return l
}

// inputSchema finds the input schema in any form of a definition that events.ParseTool reads; nil when it is no object.
func inputSchema(root *leaf) *leaf {
	in := root
	for _, name := range []string{"function", "toolSpec", "systemTool"} {
		if inner := root.child(name); inner != nil && inner.kind == '{' {
			in = inner
			break
		}
	}
	for _, name := range []string{"input_schema", "inputSchema", "parameters", "parametersJsonSchema", "parameters_json_schema"} {
		schema := in.child(name)
		if schema == nil || schema.kind == 'n' {
			continue
		}
		if root.child("toolSpec") != nil {
			schema = schema.child("json")
		}
		if schema != nil && schema.kind == '{' {
			return schema
		}
		return nil
	}
	return nil
}

// child returns a member's value, nil when there is none.
func (n *leaf) child(name string) *leaf {
	if n.kind != '{' {
		return nil
	}
	if i := n.at(name); i >= 0 {
		return n.members[i].value
	}
	return nil
}

// set gives an object a member, at its end where it has none of the name.
func (n *leaf) set(name string, value *leaf) {
	if i := n.at(name); i >= 0 {
		n.members[i].value = value
		return
	}
	n.members = append(n.members, member{name, value})
}

func addVersion(schema *leaf, version string) error {
	properties := schema.child("properties")
	if properties == nil {
		properties = &leaf{kind: '{'}
		schema.set("properties", properties)
	}
	if properties.kind != '{' {
		return wrongAt("/properties", "want an object")
	}
	if has := properties.child(versionArgument); has != nil && has.child("const") == nil && !has.hasSoleEnum() {
		return wrongAt("/properties/"+versionArgument, "the tool has an argument of that name already")
	}
	properties.set(versionArgument, versionSchema(schema, version))
	return requireVersion(schema)
}

func (n *leaf) hasSoleEnum() bool {
	enum := n.child("enum")
	return enum != nil && len(enum.items) == 1
}

// versionSchema is the argument's own schema. Where types are written in capitals, const is not known.
func versionSchema(schema *leaf, version string) *leaf {
	quoted, _ := jsontext.AppendQuote(nil, version)
	if t := schema.child("type"); t != nil {
		if text, _ := t.text(); text != "" && text == strings.ToUpper(text) {
			return object(member{"type", scalar(`"STRING"`)}, member{"enum", &leaf{kind: '[', items: []*leaf{scalar(string(quoted))}}})
		}
	}
	return object(member{"type", scalar(`"string"`)}, member{"const", scalar(string(quoted))})
}

func object(members ...member) *leaf { return &leaf{kind: '{', members: members} }

func scalar(text string) *leaf {
	raw := jsontext.Value(text)
	return &leaf{kind: raw.Kind(), raw: raw}
}

func requireVersion(schema *leaf) error {
	required := schema.child("required")
	if required == nil {
		required = &leaf{kind: '['}
		schema.set("required", required)
	}
	if required.kind != '[' {
		return wrongAt("/required", "want an array")
	}
	is := func(n *leaf) bool { text, ok := n.text(); return ok && text == versionArgument }
	if !slices.ContainsFunc(required.items, is) {
		required.items = append(required.items, scalar(strconv.Quote(versionArgument)))
	}
	return nil
}

// bytesPerToken is how many bytes of compact JSON are taken for one token. It is a rule of thumb for English text and JSON, for sums
// that people look at; no tokenizer is asked.
const bytesPerToken = 4

// EstimateTokens estimates how many tokens so many bytes of compact JSON are: a quarter, rounded up.
func EstimateTokens(bytes int) int { return (max(bytes, 0) + bytesPerToken - 1) / bytesPerToken }

// VersionCost is what the schema_version argument costs in tokens, estimated by [EstimateTokens].
type VersionCost struct {
	// DefinitionTokens are added to each request that has the tool's definition, cached or not.
	DefinitionTokens int
	// CallTokens are added to what the model writes in each call.
	CallTokens int
}

// VersionArgumentCost estimates what the argument that [WithVersion] adds costs. Of a definition that has it already, it is what it costs
// now.
func VersionArgumentCost(definition jsontext.Value, version string) (VersionCost, error) {
	with, err := WithVersion(definition, version)
	if err != nil {
		return VersionCost{}, err
	}
	t, err := readTree(with, definitionLimits())
	if err != nil {
		return VersionCost{}, err
	}
	bytes := len(t.encode())
	removeVersion(inputSchema(t.root))
	quoted, _ := jsontext.AppendQuote(nil, version)
	return VersionCost{
		DefinitionTokens: EstimateTokens(bytes - len(t.encode())),
		CallTokens:       EstimateTokens(len(quoted) + len(`"schema_version":,`)),
	}, nil
}

// removeVersion takes the argument out again.
func removeVersion(schema *leaf) {
	if properties := schema.child("properties"); properties != nil {
		properties.members = slices.DeleteFunc(properties.members, func(m member) bool { return m.name == versionArgument })
	}
	if required := schema.child("required"); required != nil {
		required.items = slices.DeleteFunc(required.items, func(n *leaf) bool { text, _ := n.text(); return text == versionArgument })
	}
}
