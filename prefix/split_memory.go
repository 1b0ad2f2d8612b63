package prefix

import (
	"bytes"
	"slices"
	"sync"

	"github.com/tooltrail/tooltrail/events"
)

// What a [Splitter] remembers at most. When there is no room the oldest arrays are forgotten.
const (
	// MaxRememberedBytes bounds the bytes of the tools arrays that are remembered. A larger array is never remembered.
	MaxRememberedBytes = 16 << 20
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
	bytes  int
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

// keep remembers the array that s has read.
func (m *Splitter) keep(s *splitter, of span) {
	size := of.to - of.from
	if m == nil || size > MaxRememberedBytes {
		return
	}
	a := &toolArray{
		text: bytes.Clone(s.body[of.from:of.to]), depth: s.depth, tools: slices.Clone(s.req.Tools), deferred: slices.Clone(s.req.Deferred),
		marks: slices.Clone(s.marks[partTools]), saw: s.saw & sawOfTools,
	}
	for _, raw := range s.req.RawTools {
		from := cap(s.body) - cap(raw) - of.from // it is a slice of the body, which reaches to the same end
		a.raws = append(a.raws, span{from, from + len(raw)})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.arrays) == MaxRememberedArrays || m.bytes+size > MaxRememberedBytes {
		m.bytes -= len(m.arrays[0].text)
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
