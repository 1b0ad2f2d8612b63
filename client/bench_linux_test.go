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

// ownCPU measures what the benchmark's own goroutine takes, on a machine where others are busy too.
type ownCPU struct{ from, sum time.Duration }

func (c *ownCPU) start() {
	runtime.LockOSThread()
	c.from = threadCPU()
}

func (c *ownCPU) stop() {
	c.sum += threadCPU() - c.from
	runtime.UnlockOSThread()
}

func (c *ownCPU) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(c.sum.Nanoseconds())/float64(b.N), "own-cpu-ns/op")
}
