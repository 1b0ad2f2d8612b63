package activation

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxEncoded is how many times arguments may be written as JSON within a string; deeper ones are not read.
	maxEncoded = 4
	// maxInner is how deep the object that names a tool may lie within others, as in {"tool":{"name":"x"}}.
	maxInner = 8
	// maxBridgeNames is how many different names, servers or arguments one call of a bridge is read for.
	maxBridgeNames = 16
)

// The members by which bridges take what they pass on, without case, '_' and '-', those that count first in front.
var (
	nameMembers     = []string{"toolname", "name", "tool", "function", "functionname", "toolslug", "toolid"}
	serverMembers   = []string{"server", "servername", "mcpserver"}
	argumentMembers = []string{"arguments", "args", "input", "params", "parameters", "toolarguments", "toolargs", "toolinput", "kwargs"}
)

// bridgeArguments are what was read of the arguments of a bridge's call, member by member: one of another type hides no other.
type bridgeArguments struct {
	// names and servers are all that they name, each once; arguments are all that may be passed on.
	names, servers []string
	arguments      []jsontext.Value
	// unread says that a name stands there as something else than text, or that there are no members at all.
	unread bool
	// broken says that not all was read: it is no JSON, or too much.
	broken bool
}

// readBridge reads the arguments of a bridge's call, which may be an object or a string that holds one.
func readBridge(args jsontext.Value) bridgeArguments {
	var b bridgeArguments
	v := decoded(args)
	if v.Kind() != jsontext.KindBeginObject {
		b.unread = v.Kind() != jsontext.KindNull && len(bytes.TrimSpace(v)) > 0
		return b
	}
	b.object(v, 0)
	return b
}

// member is one member of an object.
type member struct {
	key   string
	value jsontext.Value
}

// object reads one object.
func (b *bridgeArguments) object(v jsontext.Value, depth int) {
	if depth > maxInner {
		b.broken = true
		return
	}
	all, whole := membersOf(v)
	b.broken = b.broken || !whole
	for _, m := range ranked(all, nameMembers) {
		b.name(m.value, depth)
	}
	for _, m := range ranked(all, serverMembers) {
		b.server(m.value)
	}
	for _, m := range ranked(all, argumentMembers) {
		if m.value.Kind() != jsontext.KindNull {
			b.broken = b.broken || len(b.arguments) == maxBridgeNames
			b.arguments = append(b.arguments[:min(len(b.arguments), maxBridgeNames-1)], m.value)
		}
	}
}

// name reads what a name may be: text, an object that has one, or a list of these.
func (b *bridgeArguments) name(v jsontext.Value, depth int) {
	switch v.Kind() {
	case jsontext.KindNull:
	case jsontext.KindString:
		if in := decoded(v); in.Kind() == jsontext.KindBeginObject {
			b.within(in, depth)
		} else {
			b.names = b.add(b.names, jsonText(v))
		}
	case jsontext.KindBeginObject:
		b.within(v, depth)
	case jsontext.KindBeginArray:
		all, whole := elementsOf(v)
		b.broken = b.broken || !whole || depth > maxInner
		for _, e := range all {
			if !b.broken {
				b.name(e, depth+1)
			}
		}
	default:
		b.unread = true
	}
}

// within reads an object that stands where a name should.
func (b *bridgeArguments) within(v jsontext.Value, depth int) {
	had := len(b.names)
	b.object(v, depth+1)
	b.unread = b.unread || len(b.names) == had
}

// server reads a server's name, or that of an object.
func (b *bridgeArguments) server(v jsontext.Value) {
	switch v.Kind() {
	case jsontext.KindString:
		b.servers = b.add(b.servers, strings.TrimSpace(jsonText(v)))
	case jsontext.KindBeginObject:
		all, _ := membersOf(v)
		for _, m := range ranked(all, nameMembers) {
			if m.value.Kind() == jsontext.KindString {
				b.servers = b.add(b.servers, strings.TrimSpace(jsonText(m.value)))
			}
		}
	}
}

func (b *bridgeArguments) add(to []string, name string) []string {
	switch {
	case name == "" || slices.Contains(to, name):
		return to
	case len(to) == maxBridgeNames:
		b.broken = true
		return to
	}
	return append(to, name)
}

// ranked returns the members that are in a list, in its order.
func ranked(all []member, list []string) []member {
	of := func(m member) int { return slices.Index(list, plainKey(m.key)) }
	found := slices.DeleteFunc(slices.Clone(all), func(m member) bool { return of(m) < 0 })
	slices.SortStableFunc(found, func(a, b member) int { return cmp.Compare(of(a), of(b)) })
	return found
}

// plainKey returns a member's key without case, '_' and '-'.
func plainKey(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
}

// longestMember is the longest key that can be one of those that bridges read, in bytes.
const longestMember = 64

// decoder reads JSON as leniently as any bridge may.
func decoder(v jsontext.Value) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// membersOf returns the members of an object whose keys may be a bridge's, and whether it could be read to its end.
func membersOf(v jsontext.Value) ([]member, bool) {
	d := decoder(v)
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	var all []member
	for d.PeekKind() == jsontext.KindString {
		key, err := d.ReadToken()
		if err != nil {
			return all, false
		}
		name := key.String()
		value, err := d.ReadValue()
		if err != nil {
			return all, false
		}
		if len(name) <= longestMember {
			all = append(all, member{name, slices.Clone(value)})
		}
	}
	return all, d.PeekKind() == jsontext.KindEndObject
}

// elementsOf returns the elements of an array, and whether it could be read to its end and is not too long.
func elementsOf(v jsontext.Value) ([]jsontext.Value, bool) {
	d := decoder(v)
	if _, err := d.ReadToken(); err != nil {
		return nil, false
	}
	var all []jsontext.Value
	for d.PeekKind() != jsontext.KindEndArray {
		value, err := d.ReadValue()
		if err != nil || len(all) == maxBridgeNames {
			return all, false
		}
		all = append(all, slices.Clone(value))
	}
	return all, true
}

// jsonText returns a JSON string's text, broken bytes replaced.
func jsonText(v jsontext.Value) string {
	t, err := decoder(v).ReadToken()
	if err != nil || t.Kind() != jsontext.KindString {
		return ""
	}
	return t.String()
}

// decoded returns a value, or what lies within a string that holds JSON, however often it was written as one up to [maxEncoded].
func decoded(v jsontext.Value) jsontext.Value {
	for range maxEncoded {
		if v.Kind() != jsontext.KindString {
			return v
		}
		v = jsontext.Value(jsonText(v))
	}
	return v
}

// textsIn calls a function with the texts and keys of a value, and of the JSON within them, until it returns true.
func textsIn(v jsontext.Value, depth int, stop func(string) bool) bool {
	d := decoder(v)
	for {
		t, err := d.ReadToken()
		if err != nil {
			return false
		}
		if t.Kind() != jsontext.KindString {
			continue
		}
		text := t.String()
		if stop(text) {
			return true
		}
		if inner := strings.TrimSpace(text); depth < maxEncoded && inner != "" && strings.IndexByte(`{["`, inner[0]) >= 0 &&
			textsIn(jsontext.Value(inner), depth+1, stop) {
			return true
		}
	}
}
