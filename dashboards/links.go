package dashboards

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/panels"
)

// link makes an address of a link from a row of the view's panel.
func link(l *panels.Link, from panels.View) map[string]any {
	url := "${runbooks}/" + field(l.Runbook) + ".md"
	if l.Runbook == "" {
		url = address(l, from)
	}
	return map[string]any{"title": l.Title, "url": url, "targetBlank": l.Runbook != ""}
}

// address is that of the dashboard that a link leads to: in the same span of time, with the variables that the link sets, and the others as they
// are.
func address(l *panels.Link, from panels.View) string {
	uid := UID(l.View)
	if l.ViewFrom != "" {
		uid = UID("") + field(l.ViewFrom)
	}
	parts := []string{"${__url_time_range}", "${datasource:queryparam}", "${window:queryparam}"}
	for _, name := range slices.Sorted(maps.Keys(l.Set)) {
		parts = append(parts, fmt.Sprintf("var-%s=%s", name, field(l.Set[name])))
	}
	for _, v := range from.Variables {
		if _, set := l.Set[v.Name]; !set {
			parts = append(parts, fmt.Sprintf("${%s:queryparam}", v.Name))
		}
	}
	return "/d/" + uid + "?" + strings.Join(parts, "&")
}

// field is the value of a row's column, encoded.
func field(column string) string { return "${__data.fields." + column + ":percentencode}" }

// needs are the columns that a link takes values of.
func needs(l *panels.Link) []string {
	if l == nil {
		return nil
	}
	names := slices.Sorted(maps.Values(l.Set))
	for _, name := range []string{l.ViewFrom, l.Runbook} {
		if name != "" {
			names = append(names, name)
		}
	}
	return slices.Compact(names)
}
