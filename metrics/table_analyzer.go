package metrics

// The metrics of the component analyzer: see the struct [Analyzer] for what each says.
var (
	AnalyzerRuns             = Def{"analyzer", "runs_total", Counter, "runs", "Runs of the analyzer, by result (ok, error).", []string{"result"}}
	AnalyzerDetectorErrors   = Def{"analyzer", "detector_errors_total", Counter, "errors", "Runs of a detector that ended in an error.", []string{"detector"}}
	AnalyzerDetectorDuration = Def{"analyzer", "detector_duration_seconds", Histogram, "seconds", "Time that a run of a detector took.", []string{"detector"}}
	AnalyzerLastSuccess      = Def{"analyzer", "last_success_timestamp_seconds", Gauge, "seconds since 1970", "When a detector last ended without an error; until it first does, when the first run began.", []string{"detector"}}
	AnalyzerFindingsNew      = Def{"analyzer", "new_findings_total", Counter, "findings", "Findings that were not known before.", []string{"detector", "severity"}}
	AnalyzerFindings         = Def{"analyzer", "findings", Gauge, "findings", "Findings of the last run that are neither muted nor resolved.", []string{"detector", "severity"}}
	AnalyzerPublishErrors    = Def{"analyzer", "publish_errors_total", Counter, "errors", "New findings that could not be published to NATS.", nil}
	AnalyzerCalls            = Def{"analyzer", "window_calls", Gauge, "calls", "Tool calls in the analyzed window, by outcome.", []string{"outcome"}}
	AnalyzerDriftedCalls     = Def{"analyzer", "window_drifted_calls", Gauge, "calls", "Tool calls in the analyzed window that drifted from the active schema.", nil}
	AnalyzerRequests         = Def{"analyzer", "window_requests", Gauge, "requests", "Model requests in the analyzed window, by verdict on their prompt cache.", []string{"verdict"}}
	AnalyzerRuleHits         = Def{"analyzer", "window_rule_hits", Gauge, "hits", "Calls and loads in the analyzed window that an activation rule matched, whether the sender looked the name up or the analyzer did.", []string{"rule"}}
	AnalyzerDeadLetters      = Def{"analyzer", "window_dead_letters", Gauge, "events", "Events refused in the analyzed window.", nil}
	AnalyzerNamesJudged      = Def{"analyzer", "names_judged_total", Counter, "calls", "Calls whose name was looked up here, since their sender did not; what is judged again by what came later counts again.", nil}
	AnalyzerHistoryChanges   = Def{"analyzer", "history_changes_total", Counter, "changes", "Changes of the registry's and the breaker's buckets that were kept.", []string{"bucket"}}
	AnalyzerHistoryErrors    = Def{"analyzer", "history_errors_total", Counter, "errors", "Tries to follow a bucket or to keep its changes that did not succeed.", []string{"bucket"}}
	AnalyzerRegistryTools    = Def{"analyzer", "registry_tools", Gauge, "tools", "Tools that the analyzer knows from the registry's bucket.", nil}
	AnalyzerRegistryErrors   = Def{"analyzer", "registry_errors_total", Counter, "errors", "Revisions of the registry's documents that could not be used.", nil}
	AnalyzerSettingsErrors   = Def{"analyzer", "settings_reload_errors_total", Counter, "errors", "Contents of the settings file that could not be used; the last good ones stay in force.", nil}
	AnalyzerSettingsRefused  = Def{"analyzer", "settings_refused", Gauge, "0 or 1", "1 while the settings file can't be used as it is; the last good settings stay in force.", nil}
	AnalyzerSettingsLoaded   = Def{"analyzer", "settings_last_reload_success_timestamp_seconds", Gauge, "seconds since 1970", "When the settings file was last read and used; 0 without one.", nil}
)
