package drift

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// tree is JSON that keeps the order of members and the exact text of scalars.
type tree struct {
	root *leaf
	// left is how many bytes it may still grow.
	left int
}

// leaf is one value of a tree.
type leaf struct {
	// kind is '{', '[' or that of a scalar, whose text is raw.
	kind    jsontext.Kind
	raw     jsontext.Value
	members []member
	items   []*leaf
}

// member is one of an object's.
type member struct {
	name  string
	value *leaf
}

// readTree reads arguments within the limits; none at all are {}.
func readTree(raw jsontext.Value, l Limits) (*tree, error) {
	if len(bytes.TrimSpace(raw[:min(len(raw), 64)])) == 0 && len(raw) <= 64 {
		raw = jsontext.Value("{}")
	}
	if len(raw) > l.ArgumentBytes {
		return nil, fmt.Errorf("%d bytes: %w", len(raw), ErrLimit)
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	root, err := readLeaf(dec, l.ArgumentDepth)
	if err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errNotJSON
	}
	return &tree{root: root, left: l.ArgumentBytes}, nil
}

func readLeaf(dec *jsontext.Decoder, depth int) (*leaf, error) {
	n := &leaf{kind: dec.PeekKind()}
	if n.kind != '{' && n.kind != '[' {
		raw, err := dec.ReadValue()
		if err != nil {
			return nil, treeError(err)
		}
		n.kind, n.raw = raw.Kind(), raw.Clone()
		return n, nil
	}
	if depth == 0 {
		return nil, ErrLimit
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, treeError(err)
	}
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		if err := n.readInner(dec, depth-1); err != nil {
			return nil, err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, treeError(err)
	}
	return n, nil
}

func (n *leaf) readInner(dec *jsontext.Decoder, depth int) error {
	name := ""
	if n.kind == '{' {
		tok, err := dec.ReadToken()
		if err != nil {
			return treeError(err)
		}
		name = tok.String()
	}
	value, err := readLeaf(dec, depth)
	if err != nil {
		return err
	}
	if n.kind == '{' {
		n.members = append(n.members, member{name, value})
	} else {
		n.items = append(n.items, value)
	}
	return nil
}

var errTwice = errors.New("a name twice in one object")

func treeError(err error) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return errTwice
	}
	return errNotJSON
}

func (t *tree) encode() jsontext.Value { return t.root.append(nil) }

func (n *leaf) append(out []byte) []byte {
	switch n.kind {
	case '{':
		out = append(out, '{')
		for i, m := range n.members {
			if i > 0 {
				out = append(out, ',')
			}
			out, _ = jsontext.AppendQuote(out, m.name)
			out = m.value.append(append(out, ':'))
		}
		return append(out, '}')
	case '[':
		out = append(out, '[')
		for i, item := range n.items {
			if i > 0 {
				out = append(out, ',')
			}
			out = item.append(out)
		}
		return append(out, ']')
	}
	return append(out, n.raw...)
}

// at returns the place of a member of an object, -1 when it has none of the name.
func (n *leaf) at(name string) int {
	return slices.IndexFunc(n.members, func(m member) bool { return m.name == name })
}

// text is what a map's table calls a scalar: a string's own text, else its JSON; "" and false for an object or array.
func (n *leaf) text() (string, bool) {
	switch n.kind {
	case '{', '[':
		return "", false
	case '"':
		s, err := jsontext.AppendUnquote(nil, n.raw)
		return string(s), err == nil
	}
	return string(n.raw), true
}

// spot is an object that a path's last part is, or may be, a member of.
type spot struct {
	in   *leaf
	path string
}

// places lists the objects that a path leads to, down to its last part. A part * stands for each item of an array.
func (t *tree) places(path []string) []spot {
	at := []spot{{t.root, ""}}
	for _, part := range path {
		var next []spot
		for _, p := range at {
			next = append(next, p.below(part)...)
		}
		at = next
	}
	return slices.DeleteFunc(at, func(p spot) bool { return p.in.kind != '{' })
}

func (p spot) below(part string) []spot {
	switch p.in.kind {
	case '{':
		if i := p.in.at(part); i >= 0 {
			return []spot{{p.in.members[i].value, p.path + "/" + escapePointer(part)}}
		}
	case '[':
		if part == "*" {
			all := make([]spot, len(p.in.items))
			for i, item := range p.in.items {
				all[i] = spot{item, p.path + "/" + strconv.Itoa(i)}
			}
			return all
		}
		if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(p.in.items) && strconv.Itoa(i) == part {
			return []spot{{p.in.items[i], p.path + "/" + part}}
		}
	}
	return nil
}

// claim makes a schema_version argument that says one version say another.
func (t *tree) claim(from string, to Version) {
	i := t.root.at(versionArgument)
	if t.root.kind != '{' || i < 0 {
		return
	}
	if said, ok := t.root.members[i].value.text(); !ok || said != from {
		return
	}
	if _, knows := to.Schema.arguments[versionArgument]; !knows {
		t.root.members = slices.Delete(t.root.members, i, i+1)
		return
	}
	raw, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(to.Name, "?"))
	t.root.members[i].value = &leaf{kind: '"', raw: raw}
}
