// Package metrics holds every Prometheus metric of Tooltrail: its name, help text and labels, once. A component gets its own
// struct of collectors (NewIngest, [NewAnalyzer]), registered with the registerer it is given, and knows no names itself.
//
// Label values are bounded: kinds, outcomes, detectors, rules and verdicts of this code; never a name that a model made up,
// a conversation or an agent. docs/metrics.md is [Document]'s output.
package metrics

// Namespace starts every metric's name.
const Namespace = "tooltrail"
