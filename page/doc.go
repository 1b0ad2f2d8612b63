// Package page is what people look at without Grafana: the views of package panels and the findings, rendered on the server, by
// [Server.Handler] on an address or by [WriteFile] in one file to send to somebody.
//
// It asks nothing of other machines: styles, scripts and the chart library are part of the program. What a page shows comes from agents and
// servers that nobody checked, so that all of it is escaped, cut to a length and shown without the characters that change a line's direction.
package page
