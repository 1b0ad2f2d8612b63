// Package metrics holds every Prometheus metric of Tooltrail: its name, unit, help text and labels, once, as a [Def] in one of the files
// table_*.go. A component gets its own struct of collectors ([NewIngest], [NewAnalyzer]), registered with the registerer it is given, and knows
// no names itself.
//
// Label values are bounded ([Limits]): kinds, outcomes, detectors, rules and verdicts of this code; tools that are registered; models and
// agents up to a number, the rest as [Other]. Never a name that a model made up, and never a conversation. docs/metrics.md is [Document]'s output.
package metrics

// Namespace starts every metric's name.
const Namespace = "tooltrail"
