// Package analyzer is the clock: it runs the detectors over a window of stored events, keeps what they find, publishes what
// is new and sets metrics.
//
// An [Analyzer] reads through a [Querier], keeps findings with a [Keeper] and tells others through a [Publisher]; the
// commands wire them to ClickHouse and NATS. [Analyzer.Once] makes one [Report]; [Analyzer.Run] makes one every interval.
package analyzer
