// Package drift judges whether the calls of a tool and the tool's schema have parted: it compiles a definition ([Compile]), keeps
// what is known of a tool in a [Document] and all of them in a [Registry], classifies a call against the versions that are known
// ([Classify]), brings its arguments to the active one ([Versions.Migrate]), compares one release's definitions with the next's, and
// reads ratios back from the store ([Analyze]).
//
// Nothing in here fetches anything, and hostile definitions and arguments cost bounded time and memory ([Limits]).
package drift
