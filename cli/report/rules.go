package report

import (
	"slices"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// Rules are the names of all rules that a finding can have, in order. A test holds them against the constants of the packages.
func Rules() []string {
	all := []string{
		drift.RuleRatio, drift.RuleSilentDefault, drift.RuleDefinitions, drift.RuleRetries, drift.RuleErrorsInRow, drift.RuleCanaryWorse,
		drift.RuleToolDisabled,
		drift.RuleSunsetReady, drift.FlagBreakingMinor, drift.FlagUnversioned, drift.FlagRugPull,
		activation.RuleMadeUpID, activation.RuleLoop, activation.RuleRepeatedLoad, activation.RuleNeverCalled, activation.RuleRefused,
		activation.RuleSummaryCut, activation.RuleNameCollision, activation.RuleActivationFailed, activation.RuleRoundTrips,
		activation.RuleRemoved, activation.RuleIdlePermission,
	}
	for _, r := range []events.Resolution{
		events.ResolvedNotActivated, events.ResolvedRenamed, events.ResolvedNotConnected, events.ResolvedNotPermitted,
		events.ResolvedConnectorName, events.ResolvedPrefixRepair, events.ResolvedGuessed, events.ResolvedUnknown,
	} {
		all = append(all, string(r))
	}
	for _, v := range prefix.Verdicts() {
		if v.Break() {
			all = append(all, string(v))
		}
	}
	for _, kind := range []prefix.Rhythm{prefix.Volatile, prefix.Flapping} {
		for _, part := range []string{"tools", "tool_order", "system"} {
			all = append(all, string(kind)+"_"+part)
		}
	}
	all = append(all, prefix.RuleFlappingRoster, prefix.RuleRosterChanged, prefix.RuleToolsArrayChanged, prefix.RuleNondeterminism)
	slices.Sort(all)
	return slices.Compact(all)
}
