package metrics

import "github.com/prometheus/client_golang/prometheus"

// Window has what the analyzer's last run says of its window: gauges, whose series are those of that run. What a window counts goes down again
// as it moves on; the counters are in [Traffic].
//
// The label window is the length of one of the settings' windows, as 5m or 24h, or [WindowAnalyzed].
type Window struct {
	DriftRatio, DriftWindowCalls, DriftMinimumCalls, DriftLimit *Snapshot
	DriftSilentDefaults, DriftRetryMultiple, DriftRetryTokens   *Snapshot
	DriftDefinitionFlags, DriftDefinitionRatio                  *Snapshot
	DriftCanaryRatio, DriftCanaryCalls, DriftCanaryWorse        *Snapshot
	DriftSunsetReady                                            *Snapshot

	CacheBreaks, CacheLostTokens, CacheLostUSD *Snapshot
	CacheAlertTokens                           *Snapshot
	CacheFlapping, CacheRosterChanges          *Snapshot

	ActivationRuleHits, ActivationRuleModels *Snapshot
	ActivationAlertCalls                     *Snapshot

	// FindingSilenced has a series for each finding that is muted, or resolved and not come again.
	FindingSilenced *Snapshot

	// StoreUp is 1 or 0; StoreDiskFree and StoreDiskSize are in bytes.
	StoreUp                      prometheus.Gauge
	StoreDiskFree, StoreDiskSize *Snapshot
}

// WindowAnalyzed is the label of all that the analyzer looks at: a day, unless it is set otherwise.
const WindowAnalyzed = "analyzed"

func newWindow(f factory) *Window {
	return &Window{
		DriftRatio:           f.snapshot(DriftRatio),
		DriftWindowCalls:     f.snapshot(DriftWindowCalls),
		DriftMinimumCalls:    f.snapshot(DriftMinimumCalls),
		DriftLimit:           f.snapshot(DriftLimit),
		DriftSilentDefaults:  f.snapshot(DriftSilentDefaults),
		DriftRetryMultiple:   f.snapshot(DriftRetryMultiple),
		DriftRetryTokens:     f.snapshot(DriftRetryTokens),
		DriftDefinitionFlags: f.snapshot(DriftDefinitionFlags),
		DriftDefinitionRatio: f.snapshot(DriftDefinitionRatio),
		DriftCanaryRatio:     f.snapshot(DriftCanaryRatio),
		DriftCanaryCalls:     f.snapshot(DriftCanaryCalls),
		DriftCanaryWorse:     f.snapshot(DriftCanaryWorse),
		DriftSunsetReady:     f.snapshot(DriftSunsetReady),
		CacheBreaks:          f.snapshot(CacheBreaks),
		CacheLostTokens:      f.snapshot(CacheLostTokens),
		CacheAlertTokens:     f.snapshot(CacheAlertTokens),
		CacheLostUSD:         f.snapshot(CacheLostUSD),
		CacheFlapping:        f.snapshot(CacheFlapping),
		CacheRosterChanges:   f.snapshot(CacheRosterChanges),
		ActivationAlertCalls: f.snapshot(ActivationAlertCalls),
		ActivationRuleHits:   f.snapshot(ActivationRuleHits),
		ActivationRuleModels: f.snapshot(ActivationRuleModels),
		FindingSilenced:      f.snapshot(FindingSilenced),
		StoreUp:              f.gauge(StoreUp),
		StoreDiskFree:        f.snapshot(StoreDiskFree),
		StoreDiskSize:        f.snapshot(StoreDiskSize),
	}
}
