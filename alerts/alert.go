package alerts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Severity says who is told, and when.
type Severity string

// The severities.
const (
	// Page wakes somebody: it gets worse while nobody looks.
	Page Severity = "page"
	// Ticket is for the next working day.
	Ticket Severity = "ticket"
	// Info is good to know.
	Info Severity = "info"
)

// Needs is what an alert can't tell anything without; while that is down, the alert is inhibited.
type Needs string

// What alerts rest on.
const (
	// NeedsNothing is for alerts that stand by themselves.
	NeedsNothing Needs = "nothing"
	// NeedsStream is for what the breaker and the clients say.
	NeedsStream Needs = "stream"
	// NeedsEvents is for what is said of stored events.
	NeedsEvents Needs = "events"
)

// Alert is one alert.
type Alert struct {
	// Name is CamelCase; docs/alerts/NAME.md is its runbook.
	Name     string
	Severity Severity
	// Expr is in PromQL.
	Expr string
	// For is how long Expr must hold.
	For time.Duration
	// Summary says in a sentence what is the case, with the tool, the model and the numbers; Next says what to do first. Both are templates
	// of Prometheus.
	Summary, Next string
	// View is the dashboard that shows it, and Set the variables of the dashboard that take the value of the label of the same name.
	View string
	Set  []string
	// Needs is what must work for the alert to say anything.
	Needs Needs
	// Rules are those of the findings that the alert is on: what is muted or resolved of them does not count for it. One without any is on a part of
	// Tooltrail, and is silenced in Alertmanager or Grafana alone.
	Rules []string

	// Query is the file sql/QUERY.sql of the Grafana-managed rule, where that is not the alert's own name; {rules} stands in it for Rules.
	Query string
	// Over is what the value of the Grafana-managed rule must be strictly over; its query is sql/NAME.sql. Without Plain there is no such
	// rule.
	Over float64
	// Lookback is the time range of the query.
	Lookback time.Duration
	// Plain is Summary for Grafana, whose templates know the labels and ask nothing more. It has no dollar sign: Grafana takes what follows one
	// in such a file for a variable of its environment.
	Plain string
}

// seenLately is how long ago a finding may have been seen for the last time to be a fact now: the analyzer looks every minute.
const seenLately = 15 * time.Minute

// Config is where links lead, and from which numbers on there is something to say. See [DefaultConfig].
type Config struct {
	// Runbooks is the address under which NAME.md is found, Grafana that of Grafana; neither ends in a slash.
	Runbooks, Grafana string
	// Webhook is where Alertmanager delivers to, by severity.
	Webhook map[Severity]string
	// ClickHouse is the uid of the data source in Grafana.
	ClickHouse string

	// LostTokens is how many tokens one agent's cache may lose in the analyzed window to one part of the prefix.
	LostTokens uint64
	// DefinitionShare is the share of a server's tools that one release may change.
	DefinitionShare float64
	// GuessedShare and EarlyShare are the shares of calls that may be by a guessed name, or before the tool was loaded; fewer than
	// FewCalls of them say nothing.
	GuessedShare, EarlyShare float64
	FewCalls                 uint64
	// Lag is how old what is not stored may be, Stale how long ago a detector's last good run.
	Lag, Stale time.Duration
	// DiskFree is the share of a disk that should be free, in any case; under DiskWatch it matters that it is full within DiskWithin.
	DiskFree, DiskWatch float64
	DiskWithin          time.Duration
}

// DefaultConfig is for the services of docker-compose.yml. The numbers are explained in docs/alerts.
func DefaultConfig() Config {
	return Config{
		Runbooks: "https://github.com/tooltrail/tooltrail/blob/main/docs/alerts", Grafana: "http://localhost:3000",
		Webhook: map[Severity]string{
			Page: "http://localhost:9094/page", Ticket: "http://localhost:9094/ticket", Info: "http://localhost:9094/info",
		},
		ClickHouse: "tooltrail-clickhouse",
		LostTokens: 100_000, DefinitionShare: 0.20, GuessedShare: 0.01, EarlyShare: 0.001, FewCalls: 5,
		Lag: time.Minute, Stale: 10 * time.Minute,
		DiskFree: 0.10, DiskWatch: 0.30, DiskWithin: 24 * time.Hour,
	}
}

// Validate reports every setting that can't be.
func (c Config) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	for name, url := range map[string]string{"runbooks": c.Runbooks, "grafana": c.Grafana} {
		check(strings.HasPrefix(url, "http") && !strings.HasSuffix(url, "/"), "%s address %q is no http address without a slash at its end", name, url)
	}
	for _, s := range []Severity{Page, Ticket, Info} {
		check(strings.HasPrefix(c.Webhook[s], "http"), "webhook for %s is %q, no http address", s, c.Webhook[s])
	}
	for name, share := range map[string]float64{
		"definition share": c.DefinitionShare, "guessed share": c.GuessedShare, "early share": c.EarlyShare, "disk free": c.DiskFree, "disk watch": c.DiskWatch,
	} {
		check(share > 0 && share < 1, "%s %v is not between 0 and 1", name, share)
	}
	for name, d := range map[string]time.Duration{"lag": c.Lag, "stale": c.Stale, "disk within": c.DiskWithin} {
		check(d >= time.Second, "%s %s is under a second", name, d)
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// All returns every alert, those that page first.
func All(c Config) []Alert {
	all := slices.Concat(driftAlerts(), releaseAlerts(c), cacheAlerts(c), activationAlerts(c), pipelineAlerts(c))
	rank := map[Severity]int{Page: 0, Ticket: 1, Info: 2}
	slices.SortStableFunc(all, func(a, b Alert) int { return rank[a.Severity] - rank[b.Severity] })
	return all
}

// runbook is the address of the alert's runbook.
func (a *Alert) runbook(c Config) string { return c.Runbooks + "/" + a.Name + ".md" }

// dashboard is the address of the alert's dashboard over the last day, narrowed to those of the alert's labels that it has.
func (a *Alert) dashboard(c Config) string {
	url := c.Grafana + "/d/" + DashboardUID(a.View) + "?from=now-24h&to=now"
	for _, v := range a.Set {
		url += "{{ with $labels." + v + " }}&var-" + v + "={{ . | urlquery }}{{ end }}"
	}
	return url
}

// DashboardUID is the uid of the dashboard of one of the views of package panels.
func DashboardUID(view string) string { return "tooltrail-" + view }
