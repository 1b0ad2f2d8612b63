package prefix

import "bytes"

// block is what a scan sees of a message or a block in it.
type block struct {
	span
	role, kind []byte
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
	return (string(b.role) == "system" || string(b.role) == "developer") && (len(b.kind) == 0 || string(b.kind) == "message")
}

// loneText reports whether the block is a text and nothing else.
func (b *block) loneText() bool {
	return b.members == 2 && b.text.to > 0 && (string(b.kind) == "text" || string(b.kind) == "input_text")
}

// isImage reports whether the block is an image.
func (b *block) isImage() bool {
	return string(b.kind) == "image" || string(b.kind) == "image_url" || string(b.kind) == "input_image"
}

// scan reads a block and collects the stretches that are not part of its digest.
func (w *walker) scan() (block, error) {
	if w.peek() != '{' {
		from := w.at
		err := w.skip()
		return block{span: span{from, w.at}}, err
	}
	var b block
	err := w.object(&b)
	if err == nil && b.loneText() {
		b.span = b.text
		w.cuts = w.cuts[:0]
	}
	return b, err
}

// object reads a message, a block, or an object that holds blocks. It adds to the lifetimes that b has already: those of objects in
// objects would be copied at each level.
func (w *walker) object(b *block) error {
	*b = block{span: span{from: w.at}, ttls: b.ttls}
	kept := -1
	more, err := w.into('}')
	for more && err == nil {
		more, kept, err = w.member(b, kept)
	}
	b.to = w.at
	b.marker = b.marker && b.members == 1
	if b.isImage() {
		w.saw |= sawImage
	}
	return err
}

// member reads one member of a block, of which kept is where the last one that was not cut ends.
func (w *walker) member(b *block, kept int) (more bool, end int, err error) {
	name, from, err := w.name()
	if err != nil {
		return false, kept, err
	}
	cut, err := w.blockMember(b, name)
	if err != nil {
		return false, kept, err
	}
	if cut {
		w.cut(kept, from)
	} else {
		b.members++
		kept = w.at
	}
	more, err = w.next('}')
	return more, kept, err
}

// blockMember reads the value of one member and reports whether the member is a marker, to be cut.
func (w *walker) blockMember(b *block, name []byte) (cut bool, err error) {
	switch string(name) {
	case "cache_control", "prompt_cache_breakpoint":
		return true, w.marker(name, &b.ttls)
	case "cachePoint":
		return false, w.point(&b.marker, &b.ttls)
	case "content", "parts", "toolResult", "output", "source":
		return false, w.inner(b)
	case "role":
		return false, w.text(&b.role)
	case "type":
		return false, w.text(&b.kind)
	case "text":
		w.peek()
		b.text.from = w.at
		err := w.skip()
		b.text.to = w.at
		return false, err
	case "image", "citations":
		return false, w.derived(name)
	}
	return false, w.skip()
}

// marker reads the value of a member that marks the block it stands in.
func (w *walker) marker(name []byte, ttls *[]int64) error {
	v, err := w.value()
	if err == nil && v[0] == '{' {
		*ttls = append(*ttls, memberTTL(name, v))
	}
	return err
}

// point reads the value of the member that a marker of Bedrock's consists of.
func (w *walker) point(is *bool, ttls *[]int64) error {
	v, err := w.value()
	if err == nil && v[0] == '{' {
		*is = true
		*ttls = append(*ttls, markerTTL(v))
	}
	return err
}

// derived reads a member that says there is an image (Bedrock), or that a document is to be cited.
func (w *walker) derived(name []byte) error {
	v, err := w.value()
	switch {
	case err != nil || v[0] != '{':
	case string(name) == "image":
		w.saw |= sawImage
	case bytes.Equal(memberOf(v, "enabled"), []byte("true")):
		w.saw |= sawCitations
	}
	return err
}

// inner reads the content of a message, a tool result or a document.
func (w *walker) inner(b *block) error {
	switch w.peek() {
	case '{':
		in := block{ttls: b.ttls}
		err := w.object(&in)
		b.ttls = in.ttls
		return err
	case '[':
		return w.blocks(b)
	}
	return w.skip()
}

// blocks reads a list of blocks. Where it holds one text and nothing else, all but the text is cut.
func (w *walker) blocks(b *block) error {
	var in block
	var only span // the last text
	open, n, kept := w.at, 0, -1
	err := w.items(func() error {
		if w.peek() != '{' {
			err := w.skip()
			n, kept = n+1, w.at
			return err
		}
		in.ttls = b.ttls
		if err := w.object(&in); err != nil {
			return err
		}
		b.ttls = in.ttls
		if in.marker {
			w.cut(kept, in.from)
			return nil
		}
		if n, kept = n+1, w.at; in.loneText() {
			only = in.text
		}
		return nil
	})
	if err == nil && n == 1 && only.to > 0 {
		w.cuts = append(w.cuts, span{open, only.from}, span{only.to, w.at})
	}
	return err
}
