package metrics

// What the analyzer's last run says of its window, by tool, model and agent: see the struct [Window].
var (
	DriftRatio           = Def{"drift", "ratio", Gauge, "share, 0 to 1", "Drifted calls / calls over a window; model is empty for all models together.", []string{"server", "tool", "model", "window"}}
	DriftWindowCalls     = Def{"drift", "window_calls", Gauge, "calls", "Calls that tooltrail_drift_ratio is of.", []string{"server", "tool", "model", "window"}}
	DriftMinimumCalls    = Def{"drift", "minimum_calls", Gauge, "calls", "How many calls the settings want before a ratio says anything.", []string{"server", "tool", "window"}}
	DriftLimit           = Def{"drift", "limit", Gauge, "share, or multiple", "What the settings allow a tool (warn_ratio, critical_ratio, retry_multiple).", []string{"server", "tool", "limit"}}
	DriftSilentDefaults  = Def{"drift", "silent_defaults", Gauge, "calls", "Calls in the analyzed window that took a default for a name that a rename left empty.", []string{"server", "tool", "model"}}
	DriftRetryMultiple   = Def{"drift", "retry_multiple", Gauge, "multiple", "Tokens of attempts after the first / tokens of the first attempts, in the analyzed window.", []string{"server", "tool"}}
	DriftRetryTokens     = Def{"drift", "retry_tokens", Gauge, "tokens", "Tokens of attempts after the first, in the analyzed window.", []string{"server", "tool"}}
	DriftDefinitionFlags = Def{"drift", "definition_flags", Gauge, "releases", "Releases whose version does not say what changed, by rule (breaking_in_minor, change_without_version, rug_pull), findings that are muted or resolved left out.", []string{"rule", "server", "tool"}}
	DriftDefinitionRatio = Def{"drift", "definition_ratio", Gauge, "share, 0 to 1", "The largest share of a server's tools that changed their schema or were removed in one release of the analyzed window, where there is a finding on it that is not muted or resolved.", []string{"server"}}
	DriftCanaryRatio     = Def{"drift", "canary_ratio", Gauge, "share, 0 to 1", "Ratio (drift, error) of a version on trial and of the active one, by cohort (canary, baseline).", []string{"server", "tool", "version", "cohort", "ratio"}}
	DriftCanaryCalls     = Def{"drift", "canary_calls", Gauge, "calls", "Calls that a trial compares, by cohort (canary, baseline).", []string{"server", "tool", "version", "cohort"}}
	DriftCanaryWorse     = Def{"drift", "canary_worse", Gauge, "0 or 1", "1 where a version on trial does worse with 95 % confidence.", []string{"server", "tool", "version"}}
	DriftSunsetReady     = Def{"drift", "sunset_ready", Gauge, "0 or 1", "1 where a version that was replaced can go.", []string{"server", "tool", "version"}}

	CacheBreaks        = Def{"cache", "breaks", Gauge, "requests", "Requests in the analyzed window that broke the prompt cache, by verdict and by the part of the prefix (tools, system, messages, none).", []string{"agent", "verdict", "part"}}
	CacheLostTokens    = Def{"cache", "lost_tokens", Gauge, "tokens", "Tokens that the prompt cache lost in the analyzed window.", []string{"agent", "verdict", "part"}}
	CacheAlertTokens   = Def{"cache", "alert_tokens", Gauge, "tokens", "tooltrail_cache_lost_tokens by part of the prefix, tokens of findings that are muted or resolved left out: what an alert is on.", []string{"agent", "part"}}
	CacheLostUSD       = Def{"cache", "lost_usd", Gauge, "US dollars", "What lost tokens cost in the analyzed window, where the price is known.", []string{"agent", "verdict", "part"}}
	CacheFlapping      = Def{"cache", "flapping", Gauge, "parts", "Parts of the prefix (tools, tool_order, system, roster) that go back and forth in some conversation of the analyzed window, findings that are muted or resolved left out.", []string{"agent", "part"}}
	CacheRosterChanges = Def{"cache", "roster_changes", Gauge, "changes", "Changes of a roster's text inside a conversation, for no reason from outside, in the analyzed window, findings that are muted or resolved left out.", []string{"agent"}}

	ActivationAlertCalls = Def{"activation", "alert_calls", Gauge, "calls", "Calls by a wrong name in the analyzed window, whoever looked it up, those of findings that are muted or resolved left out: what an alert is on.", []string{"rule"}}
	ActivationRuleHits   = Def{"activation", "rule_hits", Gauge, "hits", "What broke a rule in the analyzed window, by the tool that was meant.", []string{"rule", "server", "tool"}}
	ActivationRuleModels = Def{"activation", "rule_models", Gauge, "hits", "What broke a rule in the analyzed window, by model.", []string{"rule", "model"}}

	FindingSilenced = Def{"finding", "silenced", Gauge, "0 or 1", "1 for a finding that is muted, or resolved and not come again: alerts on the same fact stay silent. Findings of one conversation and of tools that nobody registered have none; version is what a finding on a version is on.", []string{"rule", "server", "tool", "model", "agent", "version"}}

	StoreUp       = Def{"store", "up", Gauge, "0 or 1", "1 where the store answered the analyzer.", nil}
	StoreDiskFree = Def{"store", "disk_free_bytes", Gauge, "bytes", "Free space of the store's disks.", []string{"disk"}}
	StoreDiskSize = Def{"store", "disk_size_bytes", Gauge, "bytes", "Size of the store's disks.", []string{"disk"}}
)
