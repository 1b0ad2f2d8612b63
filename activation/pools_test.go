//go:build !race

package activation_test

// poolsForget is how many times as much may be allocated where pools of buffers forget what was put back, see pools_race_test.go.
const poolsForget = 1
