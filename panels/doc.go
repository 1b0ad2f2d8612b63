// Package panels is what people look at, once: six views of panels, each a question, an SQL query and how its answer is shown. The Grafana
// dashboards and the page that Tooltrail serves both render it.
//
// Queries are written with the macros and variables of Grafana's ClickHouse data source; [Expand] does what Grafana does with them.
package panels
