package client_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// threadCPU returns the CPU time of this goroutine's thread, to which it must be locked.
func threadCPU() time.Duration {
	const thisThread = 1
	var ru syscall.Rusage
	if err := syscall.Getrusage(thisThread, &ru); err != nil {
		return 0
	}
	return time.Duration(ru.Utime.Nano() + ru.Stime.Nano())
}

// cost measures what the benchmark's own goroutine takes of the CPU, on a machine where others are busy too, and what is
// allocated meanwhile by anybody, the sender included. The benchmark's timer may run on through what is prepared between.
type cost struct {
	cpuFrom, cpu  time.Duration
	from          runtime.MemStats
	allocs, bytes uint64
}

func (c *cost) start() {
	runtime.ReadMemStats(&c.from)
	runtime.LockOSThread()
	c.cpuFrom = threadCPU()
}

func (c *cost) stop() {
	c.cpu += threadCPU() - c.cpuFrom
	runtime.UnlockOSThread()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	c.allocs += now.Mallocs - c.from.Mallocs
	c.bytes += now.TotalAlloc - c.from.TotalAlloc
}

// report gives all of it for each event, in place of what the benchmark's timer would say.
func (c *cost) report(b *testing.B) {
	b.Helper()
	n := float64(b.N)
	b.ReportMetric(float64(c.cpu.Nanoseconds())/n, "own-cpu-ns/emit")
	b.ReportMetric(float64(c.allocs)/n, "allocs/emit")
	b.ReportMetric(float64(c.allocs/uint64(b.N)), "allocs/op") //nolint:gosec // positive
	b.ReportMetric(float64(c.bytes)/n, "B/op")
	b.ReportMetric(0, "ns/op") // left out
}
