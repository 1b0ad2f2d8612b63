package prefix

import (
	"runtime"
	"sync"
)

// A body's blocks are digested once all of it was read: a large one's by several goroutines, since hashing takes most of the time.
// See docs/decisions/151.
const (
	// hasherBytes is for how many bytes of blocks, at the least, another goroutine is started.
	hasherBytes = 128 << 10
	// maxHashers is how many goroutines digest one body at the most.
	maxHashers = 4
)

// pending is a block to be digested: a stretch, and which of the splitter's kept cuts are its.
type pending struct {
	span
	cutsFrom, cutsTo int
}

// later notes that a block is to be digested, into the next place of its part.
func (s *splitter) later(part int, of span) {
	from := len(s.keptCuts)
	s.keptCuts = append(s.keptCuts, s.cuts...)
	s.pending[part] = append(s.pending[part], pending{of, from, len(s.keptCuts)})
}

// digestAll digests all blocks that were noted.
func (s *splitter) digestAll() {
	s.digestPart(s.pending[partSystem], s.req.System)
	s.digestPart(s.pending[partMessages], s.req.Messages)
}

// digestPart digests the blocks of a part into their places, in shares of about the same number of bytes.
func (s *splitter) digestPart(all []pending, to []string) {
	total := 0
	for i := range all {
		total += all[i].to - all[i].from
	}
	share := max(total/min(maxHashers, runtime.GOMAXPROCS(0))+1, hasherBytes)
	var others sync.WaitGroup
	from, bytes := 0, 0
	for i := range all {
		bytes += all[i].to - all[i].from
		if bytes < share {
			continue
		}
		w := walker{scanner: scanner{body: s.body}, hash: s.digester.New(), digester: s.digester}
		mine, places := all[from:i+1], to[from:i+1]
		others.Go(func() { w.digestEach(mine, places, s.keptCuts) })
		from, bytes = i+1, 0
	}
	s.digestEach(all[from:], to[from:], s.keptCuts)
	others.Wait()
}

// digestEach digests blocks one after the other.
func (w *walker) digestEach(all []pending, to []string, cuts []span) {
	for i, p := range all {
		to[i] = w.digest(p.span, cuts[p.cutsFrom:p.cutsTo])
	}
}
