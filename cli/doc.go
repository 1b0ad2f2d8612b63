// Package cli holds the commands of tooltrail and wires all parts of it together.
//
// [Run] is the whole program: it reads flags and environment, runs one command and returns the exit status. Everything it
// touches of the outside comes in by [Streams]; signals are the caller's: a cancelled context stops any command in order.
package cli
