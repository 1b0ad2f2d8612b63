// Package drift judges whether the calls of a tool and the tool's schema have parted: it compiles a definition ([Compile]),
// classifies a call against the versions that are known ([Classify]), compares one release's definitions with the next's, and
// reads ratios back from the store ([Analyze]).
//
// Nothing in here fetches anything, and hostile definitions and arguments cost bounded time and memory ([Limits]).
package drift
