package drift

import (
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// schemaExport is a schema while it is told in the dialect of 2020-12, with what it refers to among an OpenAPI document's components.
// A place in it is named by its JSON pointer.
type schemaExport struct {
	*judged
	note func(path, reason string)
	// resources and anchors are the places of schemas by their absolute URL, bases the URLs of the places that have one.
	resources, anchors, bases map[string]string
	// targets are the places that something refers to, with the names of their components.
	targets map[string]string
	// todo are targets that were found and not looked into yet, while trying.
	todo   []string
	trying bool
}

func newSchemaExport(raw []byte, name string, l Limits, note func(path, reason string)) (*schemaExport, error) {
	j, err := newJudged(raw, l)
	if err != nil {
		return nil, err
	}
	x := &schemaExport{
		judged: j, note: note, targets: map[string]string{"": name},
		resources: map[string]string{schemaURL: ""}, anchors: map[string]string{}, bases: map[string]string{"": schemaURL},
	}
	x.discover()
	return x, nil
}

// all yields the components, the root first and under its own name; free makes names for the others.
func (x *schemaExport) all(free func(string) string) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		root := x.targets[""]
		places := slices.Sorted(maps.Keys(x.targets))
		for _, place := range places[1:] {
			x.targets[place] = free(root + "." + plainName(lastPart(place)))
		}
		for _, place := range places {
			if !yield(x.targets[place], x.body(x.get(place), place)) {
				return
			}
		}
	}
}

func lastPart(pointer string) string {
	return unescapePointer(pointer[strings.LastIndexByte(pointer, '/')+1:])
}

func refTo(component string) map[string]any {
	return map[string]any{"$ref": "#/components/schemas/" + component}
}

// index notes what each schema calls itself.
func (x *schemaExport) index(v any, place string) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	base := x.base(place)
	if id, ok := m[idKeyword(x.dialect)].(string); ok && !x.refersAlone(m) {
		x.named(place, base, id)
	}
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name, ok := m[keyword].(string); ok {
			x.anchors[x.base(place)+"#"+name] = place
		}
	}
	for at, inner := range x.inside(m, place) {
		x.index(inner, at)
	}
}

// refersAlone reports that nothing beside a schema's $ref counts.
func (x *schemaExport) refersAlone(m map[string]any) bool {
	return x.dialect < dialect2019 && m["$ref"] != nil
}

// named notes an id: a URL, an anchor or both.
func (x *schemaExport) named(place, base, id string) {
	resource, anchor, _ := strings.Cut(id, "#")
	if resource != "" {
		u := resolveURL(base, resource)
		x.resources[u], x.bases[place] = place, u
	}
	if anchor != "" {
		x.anchors[x.base(place)+"#"+anchor] = place
	}
}

// base is the URL that references at a place start from.
func (x *schemaExport) base(place string) string {
	for {
		if u, ok := x.bases[place]; ok {
			return u
		}
		place = place[:strings.LastIndexByte(place, '/')]
	}
}

// inside yields the schemas that are directly in one, with their places.
func (x *schemaExport) inside(m map[string]any, place string) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for keyword, v := range m {
			if !inDialect(keyword, x.dialect) {
				continue
			}
			for at, inner := range held(keyword, v) {
				if !yield(place+"/"+escapePointer(keyword)+at, inner) {
					return
				}
			}
		}
	}
}

// held yields the schemas that a keyword's value holds.
func held(keyword string, v any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		switch v := v.(type) {
		case map[string]any:
			if holdsSchemas(keyword) {
				yield("", v)
				return
			}
			if holdsNamed(keyword) {
				for name, inner := range v {
					if !yield("/"+escapePointer(name), inner) {
						return
					}
				}
			}
		case []any:
			for i, inner := range v {
				if holdsSchemas(keyword) && !yield("/"+strconv.Itoa(i), inner) {
					return
				}
			}
		}
	}
}

// discover finds all that is referred to, by telling everything once to nobody.
func (x *schemaExport) discover() {
	note := x.note
	x.note, x.trying = func(string, string) {}, true
	for x.todo = []string{""}; len(x.todo) > 0; {
		place := x.todo[len(x.todo)-1]
		x.todo = x.todo[:len(x.todo)-1]
		x.index(x.get(place), place)
		x.body(x.get(place), place)
	}
	x.note, x.trying = note, false
}

// refer returns the component that a reference leads to; ok is false where it leads nowhere.
func (x *schemaExport) refer(ref, from string) (component string, ok bool) {
	to, ok := x.resolve(ref, from)
	for hops := 0; ok && hops < maxAliases; hops++ {
		next, isAlias := x.alias(to)
		if !isAlias {
			break
		}
		to, ok = x.resolve(next, to)
	}
	if !ok {
		return "", false
	}
	component, known := x.targets[to]
	if !known {
		x.targets[to] = ""
		x.todo = append(x.todo, to)
	}
	return component, true
}

// maxAliases bounds how many schemas that only refer to another are passed over.
const maxAliases = 64

// alias returns the reference of a schema that is nothing else.
func (x *schemaExport) alias(place string) (ref string, is bool) {
	m, _ := x.get(place).(map[string]any)
	ref, is = m["$ref"].(string)
	for keyword, v := range m {
		if keyword != "$ref" && !x.isStructure(keyword, v) && (x.dialect >= dialect2019 || isAnnotation(keyword)) {
			return "", false
		}
	}
	return ref, is && place != ""
}

// resolve finds the place that a reference leads to.
func (x *schemaExport) resolve(ref, from string) (string, bool) {
	resource, fragment, _ := strings.Cut(resolveURL(x.base(from), ref), "#")
	root, ok := x.resources[resource]
	if !ok {
		return "", false
	}
	if fragment == "" || fragment == "/" {
		return root, true
	}
	if !strings.HasPrefix(fragment, "/") {
		place, ok := x.anchors[resource+"#"+fragment]
		return place, ok
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	return root + fragment, x.get(root+fragment) != nil
}

// resolveURL makes a reference absolute.
func resolveURL(base, ref string) string {
	if strings.HasPrefix(ref, "#") {
		base, _, _ = strings.Cut(base, "#")
		return base + ref
	}
	b, err := url.Parse(base)
	if err != nil {
		return ref
	}
	r, err := url.Parse(ref)
	if err != nil {
		return ref
	}
	return b.ResolveReference(r).String()
}

// get returns what is at a place, nil where there is nothing.
func (x *schemaExport) get(place string) any {
	if place == "" {
		return x.doc
	}
	return at(x.doc, place)
}

func unescapePointer(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}
