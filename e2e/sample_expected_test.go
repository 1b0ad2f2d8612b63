package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// sampleCall is what the sample says of a call, as it is written there.
type sampleCall struct {
	ToolName     string `json:"tool_name"`
	ResolvedName string `json:"resolved_name"`
	Server       string `json:"server"`
	Model        string `json:"request_model"`
	DriftClass   string `json:"drift_class"`
	Outcome      string `json:"outcome"`
	Conversation string `json:"conversation_id"`
	Arguments    string `json:"arguments_digest"`
	MadeUpIDs    []any  `json:"made_up_ids"`
}

// runs follows, through the calls of each conversation in their order, how often one call failed in a row.
type runs map[string]run

type run struct {
	call   [2]string // tool and digest of its arguments
	failed int
}

func (r runs) next(c *sampleCall, tool string) (failed int) {
	of := r[c.Conversation]
	if call := [2]string{tool, c.Arguments}; of.call != call || c.Outcome == "ok" {
		of = run{call: call}
	}
	if c.Outcome != "ok" {
		of.failed++
	}
	r[c.Conversation] = of
	return of.failed
}

// counted counts calls and drifted ones.
type counted struct {
	calls, drifted, silent int
	// looped is the longest row of one failing call.
	madeUp, looped int
}

// callsOfSample counts the sample's calls by tool and model; the empty model is all of them. It returns the tools' servers too.
func callsOfSample(t *testing.T) (byModel map[string]map[string]counted, servers map[string]string) {
	t.Helper()
	byModel, servers = map[string]map[string]counted{}, map[string]string{}
	rows := runs{}
	for _, line := range sampleLines(t) {
		var e struct {
			Type string
			Data sampleCall
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Type != "dev.tooltrail.tool_call.v1" {
			continue
		}
		c := e.Data
		tool := cmp.Or(c.ResolvedName, c.ToolName)
		servers[tool] = c.Server
		failed := rows.next(&c, tool)
		if byModel[tool] == nil {
			byModel[tool] = map[string]counted{}
		}
		for _, model := range []string{"", c.Model} {
			n := byModel[tool][model]
			n.calls++
			if slices.Contains([]string{"old_version", "silent_default", "unknown_argument", "validation_error"}, c.DriftClass) {
				n.drifted++
			}
			if c.DriftClass == "silent_default" {
				n.silent++
			}
			n.madeUp += len(c.MadeUpIDs)
			n.looped = max(n.looped, failed)
			byModel[tool][model] = n
		}
	}
	return byModel, servers
}

func sampleLines(t *testing.T) [][]byte { return slices.Collect(bytes.Lines(readSample(t))) }

// expectedOnSample says of each alert whether it fires on the sample, by what was put in and by the alerts' own limits.
func expectedOnSample(t *testing.T, p putIn) []onSample {
	calls, servers := callsOfSample(t)
	e := expecting{p, t, calls, servers}
	return slices.Concat(e.drift(), e.releases(), e.cache(), e.activation(), e.pipeline())
}

type expecting struct {
	putIn
	t       *testing.T
	calls   map[string]map[string]counted
	servers map[string]string
}

func (e expecting) tool(tool string) string {
	return strings.TrimPrefix(fmt.Sprintf("server=%q,tool=%q", e.servers[tool], tool), `server="",`)
}

// over lists the tools, and of tools that several models call those too, that are over a ratio and have as many calls as it takes.
func (e expecting) over(limit float64) (labels []string, why string) {
	const enough = 20
	for _, tool := range slices.Sorted(maps.Keys(e.Drift)) {
		models := e.calls[tool]
		for _, model := range slices.Sorted(maps.Keys(models)) {
			n := models[model]
			if n.calls < enough || float64(n.drifted) <= limit*float64(n.calls) || model != "" && len(models) == 2 {
				continue
			}
			l := e.tool(tool)
			if model != "" {
				l += fmt.Sprintf(",model=%q", model)
				why += fmt.Sprintf("%s by %s: %d of %d. ", tool, model, n.drifted, n.calls)
			} else {
				why += fmt.Sprintf("%s: %d of %d calls drifted. ", tool, e.Drift[tool].Drifted, e.Drift[tool].Calls)
			}
			labels = append(labels, l)
		}
	}
	return labels, why
}

// silent lists the tools and models of silent defaults.
func (e expecting) silent() (labels []string, why string) {
	for _, tool := range slices.Sorted(maps.Keys(e.Drift)) {
		for _, model := range slices.Sorted(maps.Keys(e.calls[tool])) {
			if n := e.calls[tool][model]; n.silent > 0 && model != "" {
				labels = append(labels, e.tool(tool)+fmt.Sprintf(",model=%q", model))
				why += fmt.Sprintf("%s by %s: %d calls. ", tool, model, n.silent)
			}
		}
	}
	return labels, why
}

func (e expecting) drift() []onSample {
	over20, why20 := e.over(0.20)
	over5, why5 := e.over(0.05)
	silent, whySilent := e.silent()
	return []onSample{
		{"DriftOver20", over20, why20 + "create_order by gpt-5.1: 7 of 35, exactly 20 %. create_shipment: 3 of 3, and 3 calls say nothing."},
		{"DriftOver5", over5, why5 + "get_invoice: 5 of 100, exactly 5 %. Where DriftOver20 fires on the same, Alertmanager silences it."},
		{"SilentDefault", silent, whySilent},
		{"ToolDisabled", []string{e.tool("create_shipment")}, fmt.Sprintf("create_shipment: %d validation errors in a row.", e.Others["validation_errors_in_a_row"])},
		{"ToolFailing", nil, "No tool is critical, kept enabled or on trial."},
		{"RetryCost", []string{e.tool("create_payout")}, "create_payout: tokens of retries four times those of the first attempts."},
	}
}

func (e expecting) releases() []onSample {
	var changed []string
	why := ""
	for _, d := range e.Definitions {
		ratio := float64(d.SchemaChanged+d.Removed) / float64(d.Before)
		why += fmt.Sprintf("%s %s: %d of %d schemas. ", d.Server, d.To, d.SchemaChanged+d.Removed, d.Before)
		if ratio > 0.20 {
			changed = append(changed, fmt.Sprintf("server=%q", d.Server))
		}
	}
	return []onSample{
		{"DefinitionsChanged", changed, why},
		{"BreakingChangeInMinor", nil, "The lists of releases have digests and no definitions, so that nothing says whether a change breaks."},
		{"SchemaChangedWithoutVersion", nil, "Every release that changed a schema has a number of its own."},
		{"CanaryWorse", nil, fmt.Sprintf("%d conversations of a canary's cohort; no canary is under way.", e.Others["canary_conversations"])},
		{"SunsetReady", nil, "No version was replaced and then left: create_order's old one is still called."},
	}
}

func (e expecting) cache() []onSample {
	agent := func(part string) string { return fmt.Sprintf("agent=%q,part=%q", "support-desk", part) }
	return []onSample{
		{"CacheTokensLost", []string{agent("system"), agent("tools")}, fmt.Sprintf(
			"%d breaks by system and %d by tools, of about 20,000 tokens each; %d by messages lost under 100,000.", e.Verdicts["system_changed"],
			e.Verdicts["tools_changed"], e.Verdicts["messages_changed"]+e.Verdicts["compaction"])},
		{"CacheFlapping", []string{agent("roster"), agent("tools")}, fmt.Sprintf(
			"A roster that flips %d times; a tool whose definition goes back and forth (%d breaks of one name).", e.Others["roster_flips"],
			e.ToolChanges["same_name_churn"])},
		{"RosterChangedInConversation", []string{`agent="support-desk"`}, "The same roster."},
	}
}

// each lists the tools of which something was put in, and how often.
func (e expecting) each(count func(counted) int, text string) (labels []string, why string, all int) {
	for _, tool := range slices.Sorted(maps.Keys(e.calls)) {
		if n := count(e.calls[tool][""]); n > 0 {
			labels, all = append(labels, e.tool(tool)), all+n
			why += fmt.Sprintf(text, tool, n)
		}
	}
	return labels, why, all
}

func (e expecting) activation() []onSample {
	madeUp, whyMadeUp, ids := e.each(func(n counted) int { return n.madeUp }, "%s: made-up ids, %d. ")
	loops, whyLoops, _ := e.each(func(n counted) int {
		const loop = 3
		if n.looped < loop {
			return 0
		}
		return n.looped
	}, "%s: one failing call %d times in a row. ")
	if want := e.Activation["loop"].Count; uint64(len(loops)) != want || uint64(ids) != e.Activation["made_up_id"].Count { //nolint:gosec // small
		e.t.Errorf("the sample has %d loops and %d made-up ids; injected.json says %d and %d", len(loops), ids, want, e.Activation["made_up_id"].Count)
	}
	guessed := e.Rules["guessed"] + e.Rules["unknown"] + e.Rules["prefix_repair"] + e.Rules["connector_name"]
	return []onSample{
		{"GuessedNames", []string{""}, fmt.Sprintf("%d of %d calls by guessed, unknown, wrongly prefixed or servers' names.", guessed, e.Events["tool_call"])},
		{"CallsBeforeActivation", []string{""}, fmt.Sprintf("%d of %d calls.", e.Rules["not_activated"], e.Events["tool_call"])},
		{"CallLoop", loops, whyLoops},
		{"MadeUpIds", madeUp, whyMadeUp},
		{"RosterSummariesCut", []string{`rule="summary_cut"`}, fmt.Sprintf("%d summary is cut.", e.Others["roster_summary_cut"])},
	}
}

func (e expecting) pipeline() []onSample {
	return []onSample{
		{"StoreDown", nil, "The store was there."},
		{"StreamDown", nil, "NATS was there."},
		{"IngestStopped", nil, "All was stored."},
		{"AnalyzerStale", nil, "The analyzer ran."},
		{"SettingsRefused", nil, "It has no settings file."},
		{"IngestLag", nil, "Nothing waited."},
		{"DeadLetters", nil, "Every event is valid."},
		{"ClientDrops", []string{`agent="support-desk",reason="buffer_full"`}, fmt.Sprintf("%d dropped events in heartbeats.", e.Others["client_dropped_events"])},
		{"DiskFilling", nil, "It is of the machine, and left out."},
	}
}
