package ingest

import (
	"os"
	"runtime/debug"
)

// Garbage collection of a process that only ingests. Decoded batches are many small objects that live for a fraction of a second:
// with Go's default of 100 the collector takes about a fifth of the whole path's CPU time, with 400 a few hundredths (BenchmarkPath).
const (
	gcPercent = 400
	// gcMemoryFactor is the soft limit on the process's memory in terms of [Config.Memory]; near it the collector works harder.
	gcMemoryFactor = 3
)

// TuneCollector sets the garbage collector of this process for ingesting: rarer, under a soft memory limit of three times
// c.Memory. The environment variables GOGC and GOMEMLIMIT win where they are set. It is for main, once.
func (c Config) TuneCollector() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(gcMemoryFactor * c.Memory)
	}
}
