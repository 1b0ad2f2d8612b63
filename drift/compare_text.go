package drift

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// compareText compares what is written beside the assertions, place by place as it is written: defaults, texts and keywords that no
// validator knows; and patterns that could not be compiled.
func (c *comparer) compareText(before, after []byte) error {
	l := c.a.limits
	a, _, err := readValue(before, l.SchemaDepth, l.SchemaNodes, l.ListItems)
	if err != nil {
		return fmt.Errorf("read the old schema: %w: %w", ErrCompare, err)
	}
	b, _, err := readValue(after, l.SchemaDepth, l.SchemaNodes, l.ListItems)
	if err != nil {
		return fmt.Errorf("read the new schema: %w: %w", ErrCompare, err)
	}
	c.text(a, b, textPlace{bound: true})
	c.dialect(a, b, bytes.Contains(before, []byte(`"format"`)) && bytes.Contains(after, []byte(`"format"`)))
	c.unchecked(a, b)
	return nil
}

// dialect compares the draft that the schemas say they are of: whether formats are checked depends on it.
func (c *comparer) dialect(before, after any, formats bool) {
	a, _ := before.(map[string]any)
	b, _ := after.(map[string]any)
	from, had := a["$schema"]
	to, has := b["$schema"]
	ch, differs := annotationChange("$schema", from, to, had, has)
	if !differs {
		return
	}
	if formats || c.a.root.Draft != c.b.root.Draft {
		ch.Aspect, ch.Class, ch.Note = AspectInput, UnknownClass, "another draft may check formats and read keywords in another way"
	}
	c.add(place{a: c.a.root, b: c.b.root}, ch, "$schema")
	c.changes[len(c.changes)-1].probe = nil
}

// textPlace is where in a schema's text a schema stands.
type textPlace struct {
	path string
	// property is the name of the property that it is for, at the top of the arguments.
	property string
	// required says that every old call gives the property: its default is never used.
	required bool
	// bound says that whatever the new schema applies to here, the old one at this place applied to as well.
	bound bool
}

// text compares two schemas as they are written.
func (c *comparer) text(before, after any, at textPlace) {
	a, ok := before.(map[string]any)
	b, too := after.(map[string]any)
	if !ok || !too || !c.spend(len(a)+len(b)) {
		return
	}
	names := map[string]bool{}
	for _, m := range []map[string]any{a, b} {
		for name := range m {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		switch {
		case holdsSchemas(name) || holdsNamed(name):
			c.textBelow(name, a, b, at)
		case name == "default":
			c.defaults(a, b, at)
		default:
			c.annotation(name, a, b, at.path)
		}
	}
}

// textBelow goes to the schemas that a keyword holds.
func (c *comparer) textBelow(keyword string, a, b map[string]any, at textPlace) {
	path := at.path + "/" + keyword
	if from, ok := a[keyword].([]any); ok {
		to, _ := b[keyword].([]any)
		for i := range min(len(from), len(to)) {
			c.text(from[i], to[i], textPlace{path: path + "/" + strconv.Itoa(i), bound: at.bound && keyword == "allOf"})
		}
		return
	}
	if !holdsNamed(keyword) {
		alone := keyword == "items" && a["prefixItems"] == nil && b["prefixItems"] == nil
		c.text(a[keyword], b[keyword], textPlace{path: path, bound: at.bound && alone})
		return
	}
	from, _ := a[keyword].(map[string]any)
	to, _ := b[keyword].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(from)) {
		next := textPlace{path: path + "/" + escapePointer(name)}
		if keyword == "properties" {
			next.bound = at.bound
			next.required = listsName(a["required"], name) && (at.bound || listsName(b["required"], name))
			if at.path == "" {
				next.property = name
			}
		}
		c.text(from[name], to[name], next)
	}
}

func listsName(list any, name string) bool {
	all, _ := list.([]any)
	return slices.Contains(all, any(name))
}

// defaults compares what a call that leaves a value out means.
func (c *comparer) defaults(a, b map[string]any, at textPlace) {
	from, had := a["default"]
	to, has := b["default"]
	ch := Change{Kind: "default_changed", Aspect: AspectMeaning, Class: Breaking, Note: "calls that leave it out mean something else"}
	switch {
	case had && has && jsonText(from) == jsonText(to):
		return
	case !had:
		ch.Kind, ch.Class, ch.Note = "default_added", UnknownClass, "what calls that leave it out meant before is not said"
	case !has:
		ch.Kind, ch.Class, ch.Note = "default_removed", UnknownClass, "what calls that leave it out mean now is not said"
	}
	if had {
		ch.Old = shown(from)
	}
	if has {
		ch.New = shown(to)
	}
	if at.required {
		ch.Class, ch.Note = NonBreaking, "no old call leaves it out"
	}
	var values []any
	if at.property != "" {
		values = []any{at.property}
	}
	c.add(place{a: c.a.root, b: c.b.root, path: at.path}, ch, "default", values...)
}

// asserted are the keywords that are compared by what they assert, or that only name and place schemas.
const asserted = " type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format required " +
	"minProperties maxProperties dependentRequired minItems maxItems uniqueItems minContains maxContains contentEncoding " +
	"contentMediaType $schema $ref $dynamicRef $recursiveRef $id id $anchor $dynamicAnchor $recursiveAnchor "

// annotation compares a keyword that asserts nothing.
func (c *comparer) annotation(keyword string, a, b map[string]any, path string) {
	if strings.Contains(asserted, " "+keyword+" ") {
		return
	}
	from, had := a[keyword]
	to, has := b[keyword]
	if ch, differs := annotationChange(keyword, from, to, had, has); differs {
		c.add(place{a: c.a.root, b: c.b.root, path: path}, ch, escapePointer(keyword))
	}
}

// annotationChange is the change of a member that no call depends on.
func annotationChange(name string, from, to any, had, has bool) (Change, bool) {
	ch := Change{Kind: name + "_changed", Aspect: AspectAnnotation, Class: NonBreaking}
	switch name {
	case "description", "title", "examples", "$comment":
		ch.Aspect = AspectDescription
	}
	switch {
	case had == has && jsonText(from) == jsonText(to):
		return ch, false
	case !had:
		ch.Kind = name + "_added"
	case !has:
		ch.Kind = name + "_removed"
	}
	if had {
		ch.Old = shown(from)
	}
	if has {
		ch.New = shown(to)
	}
	return ch, true
}

// unchecked lists patterns that Go's regular expressions can't read and that are not the same in both. One inside a definition
// counts as changed with any other difference, since what refers to it may have changed.
func (c *comparer) unchecked(before, after any) {
	differs := len(c.changes) > 0
	paths := slices.Concat(c.a.Unchecked, c.b.Unchecked)
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		from, to := at(before, path), at(after, path)
		shared := strings.HasPrefix(path, "/$defs/") || strings.HasPrefix(path, "/definitions/")
		if jsonText(from) == jsonText(to) && (!shared || !differs) {
			continue
		}
		ch := Change{Kind: "pattern_changed", Class: UnknownClass, Old: shown(from), New: shown(to), Note: "a pattern that can't be checked"}
		c.add(place{a: c.a.root, b: c.b.root, path: path}, ch, "")
		c.changes[len(c.changes)-1].probe = nil
	}
}

// at returns the value at a JSON pointer, nil where there is none.
func at(v any, pointer string) any {
	for _, part := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		switch in := v.(type) {
		case map[string]any:
			v = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// compareAround compares two definitions' members beside the input schema.
func compareAround(before, after []byte, l Limits) ([]Change, error) {
	a, err := membersOf(before, l)
	if err != nil {
		return nil, fmt.Errorf("read the old definition: %w: %w", ErrCompare, err)
	}
	b, err := membersOf(after, l)
	if err != nil {
		return nil, fmt.Errorf("read the new definition: %w: %w", ErrCompare, err)
	}
	var out []Change
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, path := range slices.Sorted(maps.Keys(names)) {
		from, had := a[path]
		to, has := b[path]
		ch, differs := annotationChange(path[strings.LastIndexByte(path, '/')+1:], from, to, had, has)
		if !differs {
			continue
		}
		ch.Path = path
		if path == "/name" {
			ch.Aspect, ch.Class, ch.Note = AspectInput, Breaking, "calls by the old name find no tool"
		}
		out = append(out, ch)
	}
	return out, nil
}

// membersOf lists a definition's members but for its schema, and each hint by itself.
func membersOf(raw []byte, l Limits) (map[string]any, error) {
	v, _, err := readValue(raw, l.SchemaDepth+4, l.SchemaNodes+1000, l.ListItems)
	if err != nil {
		return nil, err
	}
	m, _ := v.(map[string]any)
	for _, wrap := range []string{"function", "toolSpec"} {
		if in, ok := m[wrap].(map[string]any); ok {
			m = in
		}
	}
	out := map[string]any{}
	for name, v := range m {
		switch name {
		case "inputSchema", "input_schema", "parameters", "parametersJsonSchema", "parameters_json_schema", "type", "cache_control", "defer_loading":
		case "annotations":
			hints, _ := v.(map[string]any)
			for hint, v := range hints {
				out["/annotations/"+escapePointer(hint)] = v
			}
		default:
			out["/"+escapePointer(name)] = v
		}
	}
	return out, nil
}
