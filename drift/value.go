package drift

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readValue decodes JSON for the library: objects, arrays, strings, booleans, nil and numbers as json.Number. A number too long
// or too large to be reckoned with exactly becomes the nearest float.
// It also returns how many values there are.
func readValue(raw []byte, depth, nodes, items int) (v any, count int, err error) {
	r := valueReader{
		dec:   jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)),
		depth: depth,
		nodes: nodes,
		items: items,
	}
	if v, err = r.value(); err != nil {
		return nil, 0, err
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, 0, errNotJSON
	}
	return v, nodes - r.nodes, nil
}

type valueReader struct {
	dec   *jsontext.Decoder
	depth int
	nodes int
	items int
	// path is the length of the JSON pointer to where it reads, in bytes.
	path int
}

// maxPlace is the longest JSON pointer to a value in a schema or in arguments, in bytes: what is said of a value takes its pointer each time.
const maxPlace = 2_048

func (r *valueReader) value() (any, error) {
	tok, err := r.dec.ReadToken()
	if err != nil {
		return nil, errNotJSON
	}
	if r.nodes--; r.nodes < 0 || r.dec.StackDepth() > r.depth || r.path > maxPlace {
		return nil, ErrLimit
	}
	switch tok.Kind() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return tok.String(), nil
	case '0':
		return number(tok.String()), nil
	case 't', 'f':
		return tok.Bool(), nil
	case 'n':
		return nil, nil
	}
	return nil, errNotJSON
}

func (r *valueReader) object() (any, error) {
	m := map[string]any{}
	for r.dec.PeekKind() == '"' {
		tok, err := r.dec.ReadToken()
		if err != nil {
			return nil, errNotJSON
		}
		name := tok.String()
		r.path += 1 + len(name)
		if m[name], err = r.value(); err != nil {
			return nil, err
		}
		r.path -= 1 + len(name)
	}
	_, err := r.dec.ReadToken()
	return m, asNotJSON(err)
}

func (r *valueReader) array() (any, error) {
	list := []any{}
	for k := r.dec.PeekKind(); k != ']'; k = r.dec.PeekKind() {
		if len(list) >= r.items {
			return nil, ErrLimit
		}
		r.path += indexLength
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		r.path -= indexLength
		list = append(list, v)
	}
	_, err := r.dec.ReadToken()
	return list, asNotJSON(err)
}

// indexLength is what an index adds to a pointer.
const indexLength = len("/1234")

func asNotJSON(err error) error {
	if err != nil {
		return errNotJSON
	}
	return nil
}

const (
	maxNumber   = 64
	maxExponent = 308
)

// number keeps a number exactly unless its size would make arithmetic expensive.
func number(s string) json.Number {
	at := strings.IndexAny(s, "eE")
	if len(s) <= maxNumber {
		if at < 0 {
			return json.Number(s)
		}
		if n, err := strconv.Atoi(s[at+1:]); err == nil && n <= maxExponent && n >= -maxExponent {
			return json.Number(s)
		}
	}
	f, _ := strconv.ParseFloat(s, 64)
	f = min(max(f, -1e300), 1e300)
	return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
}
