// Package capture turns what people already have - logged requests and answers, session files, tool lists - into events.
//
// [Open] looks at the first bytes of a file, chooses a [Format] (or takes the one named), and [Reader.Read] streams the file's
// events to a function. A line that can't be read is a [Problem]: it is reported with file, line and reason, counted, and left
// out; with [Options.Strict] the first one stops. Files may be compressed with gzip.
//
// Event ids come from the content alone ([EventID]): the same file read twice, under any name, gives the same ids. Memory does
// not grow with the file: lines are read one at a time and what is known of a conversation is bounded.
package capture
