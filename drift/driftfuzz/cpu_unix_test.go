//go:build unix

package driftfuzz_test

import (
	"syscall"
	"time"
)

// used returns the processor time that the process has used so far.
func used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
