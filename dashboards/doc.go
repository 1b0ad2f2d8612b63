// Package dashboards makes Grafana dashboards of the views of package panels, one a view. The JSON that Grafana is given lies in rendered/;
// go test ./dashboards -update writes it.
package dashboards
