// Package alerts says what wakes people up, what waits for the morning, and what is only worth knowing: each alert once, with its
// expression over the metrics of package metrics, how long it must hold, its words, its runbook and its dashboard.
//
// [Rules] renders them for Prometheus and [Routing] for Alertmanager; [Grafana] renders the same alerts as rules that Grafana evaluates
// itself over ClickHouse, for teams without Prometheus. The results are committed in rendered/ (make alerts).
package alerts
