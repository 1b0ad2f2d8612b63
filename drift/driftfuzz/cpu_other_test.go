//go:build !unix

package driftfuzz_test

import "time"

var start = time.Now()

// used returns the time since the process started, where its processor time is not known.
func used() time.Duration { return time.Since(start) }
