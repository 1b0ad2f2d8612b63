package driftfuzz_test

import (
	"flag"
	"runtime/metrics"
	"testing"
	"time"
)

const (
	// maxTime is the most processor time that one step on one input may take, with all that the process does beside it.
	maxTime = time.Second
	// maxBytes is the most that it may allocate, freed again or not.
	maxBytes = 256 << 20
)

// within does one step and holds its cost against the limits. Time counts only while fuzzing, where no other test runs beside it; a step that
// took too long is done twice more and the least counts, since the collector may have had to clean up after others.
func within(t *testing.T, what string, do func()) (took time.Duration, bytes uint64) {
	t.Helper()
	took, bytes = cost(do)
	if bytes > maxBytes {
		t.Errorf("%s allocates %d MiB", what, bytes>>20)
	}
	for again := 0; fuzzing() && again < 2 && took > maxTime; again++ {
		next, _ := cost(do)
		took = min(took, next)
	}
	if fuzzing() && took > maxTime {
		t.Errorf("%s takes %s of processor time", what, took)
	}
	return took, bytes
}

func cost(do func()) (took time.Duration, bytes uint64) {
	before, begin := allocated(), used()
	do()
	return used() - begin, allocated() - before
}

// allocated returns the bytes that the process has allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// fuzzing reports that this process was started to fuzz, not to run the seeds.
func fuzzing() bool {
	f := flag.Lookup("test.fuzzworker")
	return f != nil && f.Value.String() == "true"
}
