//go:build race

package activation_test

// poolsForget is how many times as much may be allocated: with the race detector a sync.Pool drops what is put back at random, so that the
// buffers of the JSON library are made anew.
const poolsForget = 3
