package alerts

import (
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/panels"
)

// cacheAlerts are those on the prompt cache.
func cacheAlerts(c Config) []Alert {
	const agent = "{{ $labels.agent }}"
	return []Alert{
		{
			Name: "CacheTokensLost", Severity: Ticket, For: 15 * time.Minute,
			Expr: fmt.Sprintf("%s > %d", sumOf("agent, part", metrics.CacheAlertTokens, oneOf("part", "tools", "system", "messages")), c.LostTokens),
			Summary: agent + " lost {{ $value | humanize }} tokens of prompt cache in the analyzed window because {{ $labels.part }} changed ($" +
				ask("printf `%.2f`", `sum(max by (verdict) (`+metrics.CacheLostUSD.Name()+`{agent=%q,part=%q}))`, "agent", "part") + " at least)",
			Next: "tooltrail report shows what to fix first under savings; tooltrail prefix explain CONVERSATION shows the bytes.",
			View: panels.Prefix, Set: []string{"agent"}, Needs: NeedsEvents, Rules: []string{"tools_changed", "system_changed", "messages_changed", "compaction"},
			Over: float64(c.LostTokens), Lookback: 24 * time.Hour, Plain: "{{ .Labels.agent }} lost tokens of prompt cache because {{ .Labels.part }} changed.",
		},
		{
			Name: "CacheFlapping", Severity: Ticket, For: 15 * time.Minute,
			Expr:    sumOf("agent, part", metrics.CacheFlapping) + " > 0",
			Summary: "In conversations of " + agent + " {{ $value }} parts of the prefix ({{ $labels.part }}) go back and forth between the same few values",
			Next:    "Sort and write that part once per conversation; tooltrail findings --detector prefix names the tool or block.",
			View:    panels.Prefix, Set: []string{"agent"}, Needs: NeedsEvents, Rules: []string{"flapping_tools", "flapping_tool_order", "flapping_system", "flapping_roster"},
			Lookback: seenLately, Plain: "A part of the prefix of {{ .Labels.agent }} goes back and forth.",
		},
		{
			Name: "RosterChangedInConversation", Severity: Ticket, For: 15 * time.Minute,
			Expr:    each(metrics.CacheRosterChanges) + " > 0",
			Summary: "The roster of " + agent + " changed {{ $value }} times inside a conversation, for no reason from outside",
			Next:    "Write the roster once per conversation and leave it so, loaded tools too, until tools or permissions change.",
			View:    panels.Prefix, Set: []string{"agent"}, Needs: NeedsEvents, Rules: []string{"roster_changed_in_conversation"},
			Lookback: seenLately, Plain: "The roster of {{ .Labels.agent }} changed inside a conversation.",
		},
	}
}
