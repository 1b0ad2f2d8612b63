package prefix

import (
	"bytes"
	"slices"
	"sync"

	"github.com/tooltrail/tooltrail/events"
)

// What a [Splitter] remembers at most. When there is no room the oldest arrays are forgotten.
const (
	// MaxRememberedBytes bounds the memory, in bytes, that remembered tools arrays take: their text and what they said. An array that takes
	// more is never remembered.
	MaxRememberedBytes = 16 << 20
	// MaxRememberedTools bounds the tools of an array, its deferred ones, its definitions and its markers, each. What has more is no list
	// that a model could choose from, and is never remembered.
	MaxRememberedTools = 10_000
	// MaxRememberedArrays bounds their number, since each is compared with the array of a new request.
	MaxRememberedArrays = 64
)

// Splitter takes bodies apart as [Split] does and remembers the tools arrays that it saw, byte by byte: an array that is sent again, as
// agents do with each request, is compared and not read and digested once more. Nothing else of a body is kept. It takes memory only
// once it is used. All methods can be called from any goroutine.
type Splitter struct {
	digester events.Digester

	mu     sync.RWMutex
	arrays []*toolArray // the newest last
	bytes  int          // what they take
}

// NewSplitter returns a Splitter that makes digests with d.
func NewSplitter(d events.Digester) *Splitter { return &Splitter{digester: d} }

// Split is [Split].
func (m *Splitter) Split(provider string, body []byte) (*Request, error) {
	s := newSplitter(body, m.digester)
	s.memory = m
	return s.split(provider)
}

// toolArray is a tools array and what it says.
type toolArray struct {
	text     []byte
	depth    int // how deep it lay: what it holds may lie too deep elsewhere
	tools    []events.PrefixTool
	deferred []string
	raws     []span // in text
	marks    []events.Breakpoint
	saw      sights
	size     int // what it takes, in bytes
}

// tailBytes is how much of the end of arrays is compared first: arrays that grow have long beginnings in common.
const tailBytes = 64

// opens reports whether the body goes on with the array.
func (a *toolArray) opens(body []byte) bool {
	if len(body) < len(a.text) {
		return false
	}
	tail := max(0, len(a.text)-tailBytes)
	return bytes.Equal(body[tail:len(a.text)], a.text[tail:]) && bytes.Equal(body[:tail], a.text[:tail])
}

// find returns the remembered array that a body goes on with, nil for none. A nil Splitter remembers none.
func (m *Splitter) find(body []byte, depth int) *toolArray {
	if m == nil {
		return nil
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, a := range slices.Backward(m.arrays) {
		if a.depth == depth && a.opens(body) {
			return a
		}
	}
	return nil
}

// Sizes of what is kept beside the text of an array, in bytes, as the allocator hands them out.
const (
	// sizeArray is that of a toolArray and the pointer to it.
	sizeArray = 256
	// sizeTool is that of a tool with its digest, sizeName of a name without its text, sizeSpan of a span, sizeMark of a marker.
	sizeTool = 32 + 2*digestBytes
	sizeName = 16 + 16
	sizeSpan = 16
	sizeMark = 40
)

// arraySize is how much memory, in bytes, remembering what s has read of an array takes, and false where that is too much.
func (s *splitter) arraySize(text int) (int, bool) {
	r, marks := &s.req, s.marks[partTools]
	for _, n := range []int{len(r.Tools), len(r.Deferred), len(r.RawTools), len(marks)} {
		if n > MaxRememberedTools {
			return 0, false
		}
	}
	size := sizeArray + text + len(r.Tools)*(sizeTool+sizeName) + len(r.Deferred)*sizeName + len(r.RawTools)*sizeSpan + len(marks)*sizeMark
	for i := range r.Tools {
		size += len(r.Tools[i].Name)
	}
	for _, name := range r.Deferred {
		size += len(name)
	}
	return size, size <= MaxRememberedBytes
}

// keep remembers the array that s has read.
func (m *Splitter) keep(s *splitter, of span) {
	if m == nil {
		return
	}
	size, ok := s.arraySize(of.to - of.from)
	if !ok {
		return
	}
	a := &toolArray{
		text: bytes.Clone(s.body[of.from:of.to]), depth: s.depth, tools: slices.Clone(s.req.Tools), deferred: slices.Clone(s.req.Deferred),
		raws: make([]span, 0, len(s.req.RawTools)), marks: slices.Clone(s.marks[partTools]), saw: s.saw & sawOfTools, size: size,
	}
	for _, raw := range s.req.RawTools {
		from := cap(s.body) - cap(raw) - of.from // it is a slice of the body, which reaches to the same end
		a.raws = append(a.raws, span{from, from + len(raw)})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.arrays) == MaxRememberedArrays || m.bytes+size > MaxRememberedBytes {
		m.bytes -= m.arrays[0].size
		m.arrays = slices.Delete(m.arrays, 0, 1)
	}
	m.arrays, m.bytes = append(m.arrays, a), m.bytes+size
}

// take passes over a remembered array and says what it said.
func (s *splitter) take(a *toolArray) {
	text := s.body[s.at : s.at+len(a.text)]
	s.at += len(a.text)
	s.req.Tools, s.req.Deferred, s.marks[partTools] = slices.Clone(a.tools), slices.Clone(a.deferred), slices.Clone(a.marks)
	s.saw |= a.saw
	for _, r := range a.raws {
		s.req.RawTools = append(s.req.RawTools, text[r.from:r.to])
	}
}
