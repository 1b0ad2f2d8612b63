package alerts

import (
	"fmt"
	"io"
	"strings"
)

// Document writes docs/alerts/README.md: every alert, with what it waits for and what silences it.
func Document(w io.Writer, c Config) error {
	var b strings.Builder
	b.WriteString(documentHead)
	for _, a := range All(c) {
		wait := "at once"
		if a.For > 0 {
			wait = promDuration(a.For)
		}
		fmt.Fprintf(&b, "| [%s](%s.md) | %s | %s | %s | %s |\n", a.Name, a.Name, a.Severity, wait, silencers[a.Needs], a.findings())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// findings says which findings the alert is on.
func (a *Alert) findings() string {
	if len(a.Rules) == 0 {
		return "none"
	}
	return "`" + strings.Join(a.Rules, "`, `") + "`"
}

// silencers say what inhibits an alert, by what it needs.
var silencers = map[Needs]string{
	NeedsNothing: "nothing", NeedsStream: "StreamDown", NeedsEvents: "StreamDown, StoreDown, IngestStopped",
}

const documentHead = `# Alerts

Made from the package ` + "`alerts`" + ` by its tests; do not edit. Each alert has a runbook of its name: what it means, where to see it, what to do first.

- **page** wakes somebody: it gets worse while nobody looks. **ticket** is for the next working day. **info** is good to know.
- ` + "`alerts/rendered/rules.yml`" + ` is for Prometheus, ` + "`alerts/rendered/alertmanager.yml`" + ` for Alertmanager: put your own receivers into it.
- ` + "`alerts/rendered/grafana/alerts.yml`" + ` has the same alerts for teams without Prometheus: Grafana evaluates them over ClickHouse itself. Most of them ask for
  findings, so that thresholds of the settings file, mutes and owners hold. StreamDown and SettingsRefused have none: nothing in the store says it. Grafana knows no inhibition:
  while the store is away the rules keep the state that they had, and StoreDown fires.
- Thresholds of drift and retries are those of the settings file, tool by tool ([settings](../settings.md)). The others, and where links lead, are flags of
  ` + "`go run ./alerts/render -h`" + `, which writes all files anew.
- An alert that is on findings takes those not into account that are muted or resolved ([findings](../findings.md)): where all are, it is silent. The last
  column names their rules. It takes the analyzer a minute to hear of it. Alerts on sums (tokens lost, guessed names, calls before activation) leave out what
  such findings add to them. A tool that somebody disabled by hand has no finding, and tools that nobody registered are one in Prometheus, where a finding on one
  silences ToolDisabled and ToolFailing alone: for those, and for alerts on Tooltrail's own parts, silence the alert in Alertmanager or Grafana.
- Commands in runbooks are for the containers of ` + "`docker-compose.yml`" + `, in its folder; INGESTER is localhost there. With ` + "`tooltrail up`" + ` it is the HTTP address that
  it prints, and what it prints is the log of all parts. How ` + "`tooltrail`" + ` finds the containers is in [operating](../operating.md).
- Which alerts fire on the recorded sample, and why: [alerts-on-the-sample](../alerts-on-the-sample.md).

| alert | severity | holds for | is silent while one of these fires | is on findings of these rules |
|---|---|---|---|---|
`
