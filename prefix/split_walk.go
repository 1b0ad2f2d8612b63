package prefix

import (
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// walker reads a body and remembers positions in it.
type walker struct {
	dec      *jsontext.Decoder
	body     []byte
	hash     hash.Hash
	sum      []byte
	cuts     []span
	digester events.Digester
}

// span is a stretch of the body, to exclusive.
type span struct{ from, to int }

func (w *walker) offset() int { return int(w.dec.InputOffset()) }

// value reads a value and returns its bytes in the body.
func (w *walker) value() (jsontext.Value, error) {
	v, err := w.dec.ReadValue()
	if err != nil {
		return nil, err
	}
	end := w.offset()
	return w.body[end-len(v) : end], nil
}

// text reads a value into to, where it is a string.
func (w *walker) text(to *string) error {
	v, err := w.value()
	if err == nil {
		*to = unquote(v)
	}
	return err
}

// each calls fn for each member of an object; fn reads the value.
func (w *walker) each(fn func(name string) error) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for w.dec.PeekKind() != jsontext.KindEndObject {
		tok, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		if err := fn(tok.String()); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// items calls fn for each element of an array; fn reads the element.
func (w *walker) items(fn func() error) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for w.dec.PeekKind() != jsontext.KindEndArray {
		if err := fn(); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// end reports an error unless nothing follows.
func (w *walker) end() error {
	if _, err := w.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return &jsontext.SyntacticError{ByteOffset: w.dec.InputOffset()}
	}
	return nil
}

// digest hashes a block without its cuts.
func (w *walker) digest(b block) string {
	w.hash.Reset()
	at := b.from
	slices.SortFunc(w.cuts, func(a, b span) int { return a.from - b.from })
	for _, c := range w.cuts {
		if c.from > at {
			_, _ = w.hash.Write(w.body[at:c.from])
		}
		at = max(at, c.to)
	}
	if at < b.to {
		_, _ = w.hash.Write(w.body[at:b.to])
	}
	w.sum = w.hash.Sum(w.sum[:0])
	return events.Shorten(hex.EncodeToString(w.sum))
}

// unquote returns the text of a JSON string, and "" for any other value.
func unquote(v jsontext.Value) string {
	if v.Kind() != jsontext.KindString {
		return ""
	}
	s, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(s)
}
