package report

import (
	"io"
	"strings"

	"github.com/tooltrail/tooltrail/drift"
)

// RegistryList prints the tools of a registry in the order given, one a line.
func RegistryList(w io.Writer, all []*drift.Document, s Style) error {
	t := &table{columns: []column{
		{title: "server", flex: true}, {title: "tool", flex: true}, {title: "active", flex: true}, {title: "since", drop: 3}, {title: "others", flex: true, drop: 2},
		{title: "canary", flex: true}, {title: "owner", flex: true, drop: 1},
	}}
	for _, d := range all {
		active, since := "-", "-"
		if v := d.Active(); v != nil {
			active, since = v.Version, v.Since.UTC().Format("2006-01-02")
		}
		t.row(d.Server, d.Tool, active, since, otherVersions(d), canaryText(d.Canary), d.Owner)
	}
	return t.write(w, s)
}

// otherVersions names the versions that are neither active nor on trial, in the order in which they were registered.
func otherVersions(d *drift.Document) string {
	var all []string
	for i := range d.Versions {
		if v := &d.Versions[i]; v.State == drift.StateLegacy || v.State == drift.StateRetired {
			all = append(all, v.Version+" "+string(v.State))
		}
	}
	return strings.Join(all, ", ")
}

func canaryText(c *drift.Canary) string {
	if c == nil {
		return ""
	}
	return c.Version + " " + Percent(c.Share)
}
