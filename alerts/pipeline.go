package alerts

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/panels"
)

// recently is the span in which a counter has to have grown.
const recently = 15 * time.Minute

// stoppedSeconds is how long nothing may be stored where there is no ingester to ask.
const stoppedSeconds = 600

// stopped holds where nothing is stored: a lane does not work, no ingester is there, or messages wait and no batch is stored.
func stopped() string {
	waiting := "sum(" + maxBy("partition, kind", sel(metrics.IngestLagMessages)) + ") > 0"
	return "sum(" + sel(metrics.IngestLanesDown) + ") > 0\nor\nabsent(" + sel(metrics.IngestLanesDown) + ") == 1\nor\n" +
		waiting + "\n  and sum(rate(" + sel(metrics.IngestBatches) + "[5m])) == 0"
}

// refused holds where the intake sends everybody away since NATS takes no events, though it is connected: after a full disk it answers and stores
// nothing. An intake that is only too busy takes some.
func refused() string {
	return "(sum(rate(" + sel(metrics.IngestIntakeRequests, is("code", "503")) + "[5m])) > 0)\n  unless sum(rate(" +
		sel(metrics.IngestIntakeRequests, oneOf("code", "200", "207")) + "[5m])) > 0"
}

// filling holds where a disk is nearly full, or will be soon.
func filling(c Config) string {
	share := maxBy("disk", sel(metrics.StoreDiskFree)+" / "+sel(metrics.StoreDiskSize))
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	soon := fmt.Sprintf("and on (disk) %s < 0", maxBy("disk", fmt.Sprintf("predict_linear(%s[6h], %d)", sel(metrics.StoreDiskFree), int(c.DiskWithin.Seconds()))))
	return share + " < " + number(c.DiskFree) + "\nor\n" + share + " < " + number(c.DiskWatch) + "\n  " + soon
}

func pipelineAlerts(c Config) []Alert {
	return append(downAlerts(c), lossAlerts(c)...)
}

// downAlerts are those on parts that do not work. While one of the first three holds, what else is said of events is old.
func downAlerts(c Config) []Alert {
	seconds := strconv.Itoa(int(c.Stale.Seconds()))
	return []Alert{
		{
			Name: storeDown, Severity: Page, For: 2 * time.Minute,
			Expr:    "max(" + sel(metrics.IngestStoreUp) + ") == 0\nor\nmax(" + sel(metrics.StoreUp) + ") == 0",
			Summary: "ClickHouse does not answer Tooltrail; events wait in NATS, and nothing is lost as long as its retention lasts",
			Next:    "See whether ClickHouse runs, has disk and takes the password: curl CLICKHOUSE/ping, then its log.",
			View:    panels.Pipeline, Needs: NeedsNothing,
			Lookback: 10 * time.Minute, Plain: "ClickHouse does not answer Grafana.",
		},
		{
			Name: streamDown, Severity: Page, For: 2 * time.Minute,
			Expr:    "max(" + sel(metrics.IngestNATSUp) + ") == 0\nor\nmax(" + sel(metrics.BreakerNATSUp) + ") == 0\nor\n" + refused(),
			Summary: "NATS takes no events, or Tooltrail has no connection to it; clients keep events in their buffers and then drop them",
			Next:    "See whether nats-server runs and has disk; after a full disk it has to be restarted.",
			View:    panels.Pipeline, Needs: NeedsNothing,
		},
		{
			Name: ingestStopped, Severity: Page, For: 3 * time.Minute, Expr: stopped(),
			Summary: "Events are not stored any more: a lane is down, no ingester answers, or messages wait and none is stored",
			Next:    "curl INGESTER/readyz says which lane is down and why; then the ingester's log.",
			View:    panels.Pipeline, Needs: NeedsNothing,
			Over: stoppedSeconds, Lookback: time.Hour, Plain: "No event was stored for ten minutes, and there were some before.",
		},
		{
			Name: "AnalyzerStale", Severity: Ticket, For: time.Minute,
			Expr:    "time() - " + each(metrics.AnalyzerLastSuccess) + " > " + seconds + "\nor\nabsent(" + sel(metrics.AnalyzerLastSuccess) + ") == 1",
			Summary: "{{ if $labels.detector }}The detector {{ $labels.detector }} had no good run for {{ $value | humanizeDuration }}{{ else }}No analyzer is there{{ end }}: what the dashboards say is old",
			Next:    "The analyzer's log says why a run failed; curl ANALYZER/healthz.",
			View:    panels.Pipeline, Needs: NeedsEvents,
			Over: c.Stale.Seconds(), Lookback: 24 * time.Hour, Plain: "The analyzer has judged no request for a while, and requests were stored.",
		},
		{
			Name: "SettingsRefused", Severity: Ticket, For: 5 * time.Minute, Expr: "max(" + sel(metrics.AnalyzerSettingsRefused) + ") == 1",
			Summary: "The analyzer can't use the settings file as it is, and goes by the thresholds from before",
			Next:    "The analyzer's log names the line and what is wrong with it.",
			View:    panels.Pipeline, Needs: NeedsNothing,
		},
	}
}

// lossAlerts are those on what is late, refused or dropped.
func lossAlerts(c Config) []Alert {
	return []Alert{
		{
			Name: "IngestLag", Severity: Ticket, For: 5 * time.Minute,
			Expr:    each(metrics.IngestLagSeconds) + " > " + strconv.Itoa(int(c.Lag.Seconds())),
			Summary: "{{ $labels.kind }} events of partition {{ $labels.partition }} are {{ $value | humanizeDuration }} behind",
			Next:    "See whether ClickHouse is slow (insert time) or there are more events than usual; more partitions and ingesters help.",
			View:    panels.Pipeline, Needs: NeedsEvents,
			Over: c.Lag.Seconds(), Lookback: 10 * time.Minute, Plain: "Events are stored late.",
		},
		{
			Name: "DeadLetters", Severity: Ticket,
			Expr:    sumBy("kind", "increase("+sel(metrics.IngestDeadLetters)+"["+promDuration(recently)+"])") + " > 0",
			Summary: "{{ $value | printf `%.0f` }} {{ $labels.kind }} events were refused in 15 minutes and lie among the dead letters",
			Next:    "tooltrail deadletters list says why; after the fix, tooltrail deadletters replay.",
			View:    panels.Pipeline, Needs: NeedsNothing,
			Lookback: recently, Plain: "Events were refused and lie among the dead letters.",
		},
		{
			Name: "ClientDrops", Severity: Ticket, Expr: grew(metrics.TrafficClientDropped, metrics.IngestLanesDown, "agent, reason", recently),
			Summary: "Clients of {{ $labels.agent }} dropped {{ $value | printf `%.0f` }} events in 15 minutes ({{ $labels.reason }}): counts and ratios of this time are too low",
			Next:    "buffer_full: NATS was away or too slow for longer than the buffer lasts; see StreamDown and the client's buffer settings.",
			View:    panels.Pipeline, Set: []string{"agent"}, Needs: NeedsNothing,
			Lookback: time.Hour, Plain: "Clients of {{ .Labels.agent }} dropped events.",
		},
		{
			Name: "DiskFilling", Severity: Ticket, For: 15 * time.Minute, Expr: filling(c),
			Summary: "The store's disk {{ $labels.disk }} has {{ $value | humanizePercentage }} free and is full soon",
			Next:    "Shorten the retention or add space before it is full: NATS has to be restarted after its disk was full.",
			View:    panels.Pipeline, Needs: NeedsNothing,
			Over: 1 - c.DiskFree, Lookback: 10 * time.Minute, Plain: "The store's disk {{ .Labels.disk }} is nearly full.",
		},
	}
}
