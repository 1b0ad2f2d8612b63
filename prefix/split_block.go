package prefix

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// block is what a scan sees of a message or a block in it.
type block struct {
	span
	role, kind string
	// members counts members that are not markers.
	members int
	// text is the value of a member named text.
	text span
	// marker says that the block is nothing but a marker: Bedrock's {"cachePoint":{}}.
	marker bool
	// ttls has the lifetime of each marker in it, in seconds; 0 where the marker says none and its API has no fixed one.
	ttls []int64
}

// isSystem reports whether a message belongs to the system part where it comes first.
func (b *block) isSystem() bool {
	return (b.role == "system" || b.role == "developer") && (b.kind == "" || b.kind == "message")
}

// loneText reports whether the block is a text and nothing else.
func (b *block) loneText() bool {
	return b.members == 2 && b.text.to > 0 && (b.kind == "text" || b.kind == "input_text")
}

// scan reads a block and collects the stretches that are not part of its digest.
func (w *walker) scan() (block, error) {
	w.cuts = w.cuts[:0]
	if w.dec.PeekKind() != jsontext.KindBeginObject {
		v, err := w.value()
		return block{span: span{w.offset() - len(v), w.offset()}}, err
	}
	b, err := w.object()
	if err == nil && b.loneText() {
		b.span = b.text
		w.cuts = w.cuts[:0]
	}
	return b, err
}

// object reads a message, a block, or an object that holds blocks.
func (w *walker) object() (block, error) {
	var b block
	kept := -1
	if _, err := w.dec.ReadToken(); err != nil {
		return b, err
	}
	b.from = w.offset() - 1
	for w.dec.PeekKind() != jsontext.KindEndObject {
		tok, err := w.dec.ReadToken()
		if err != nil {
			return b, err
		}
		cut, err := w.blockMember(&b, tok.String())
		if err != nil {
			return b, err
		}
		if cut {
			w.cut(kept, b.from, w.offset())
			continue
		}
		b.members++
		kept = w.offset()
	}
	_, err := w.dec.ReadToken()
	b.to = w.offset()
	b.marker = b.marker && b.members == 1
	return b, err
}

// blockMember reads the value of one member and reports whether the member is a marker, to be cut.
func (w *walker) blockMember(b *block, name string) (cut bool, err error) {
	switch name {
	case "cache_control", "prompt_cache_breakpoint":
		v, err := w.value()
		if err == nil && v.Kind() == jsontext.KindBeginObject {
			b.ttls = append(b.ttls, memberTTL(name, v))
		}
		return true, err
	case "cachePoint":
		v, err := w.value()
		b.marker = true
		b.ttls = append(b.ttls, markerTTL(v))
		return false, err
	case "content", "parts", "toolResult", "output":
		return false, w.inner(b)
	case "role":
		return false, w.text(&b.role)
	case "type":
		return false, w.text(&b.kind)
	case "text":
		v, err := w.value()
		b.text = span{w.offset() - len(v), w.offset()}
		return false, err
	}
	return false, w.dec.SkipValue()
}

// inner reads the content of a message or a tool result.
func (w *walker) inner(b *block) error {
	switch w.dec.PeekKind() {
	case jsontext.KindBeginObject:
		in, err := w.object()
		b.ttls = append(b.ttls, in.ttls...)
		return err
	case jsontext.KindBeginArray:
		return w.blocks(b)
	}
	return w.dec.SkipValue()
}

// blocks reads a list of blocks. Where it holds one text and nothing else, all but the text is cut.
func (w *walker) blocks(b *block) error {
	var only block
	var from, n, kept = 0, 0, -1
	err := w.items(func() error {
		if from == 0 {
			from = w.offset()
		}
		if w.dec.PeekKind() != jsontext.KindBeginObject {
			n, only = n+1, block{}
			err := w.dec.SkipValue()
			kept = w.offset()
			return err
		}
		in, err := w.object()
		if err != nil {
			return err
		}
		b.ttls = append(b.ttls, in.ttls...)
		if in.marker {
			w.cut(kept, from-1, w.offset())
			return nil
		}
		n, only, kept = n+1, in, w.offset()
		return nil
	})
	if err == nil && n == 1 && only.loneText() {
		w.cuts = append(w.cuts, span{from - 1, only.text.from}, span{only.text.to, w.offset()})
	}
	return err
}

// cut leaves out what was read up to end: from the end of the last kept neighbour, else from the opening bracket on, up to the
// next neighbour.
func (w *walker) cut(kept, open, end int) {
	if kept >= 0 {
		w.cuts = append(w.cuts, span{kept, end})
		return
	}
	rest := w.body[end:]
	end += len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,"))
	w.cuts = append(w.cuts, span{open + 1, end})
}

// memberTTL is the lifetime of a marker that is a member of a block. An OpenAI breakpoint that gives none inherits the request's.
func memberTTL(name string, v jsontext.Value) int64 {
	if name == "prompt_cache_breakpoint" {
		return ttlSeconds(ttlOf(v))
	}
	return markerTTL(v)
}
