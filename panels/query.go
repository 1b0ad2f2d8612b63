package panels

import (
	"embed"
	"fmt"
	"strings"

	"github.com/tooltrail/tooltrail/finding"
)

//go:embed sql/*.sql sql/parts/*.sql
var files embed.FS

// query returns the query of sql/ID.sql, with what many of them have in common filled in.
func query(id string) string {
	text := strings.ReplaceAll(file(id), "{calls by tool and model}", file("parts/calls_by_tool_and_model"))
	return shared.Replace(forEachKind(text))
}

// file is the text of sql/NAME.sql.
func file(name string) string {
	b, err := files.ReadFile("sql/" + name + ".sql")
	if err != nil {
		panic(fmt.Sprintf("panels: %v", err)) // the file belongs to the program
	}
	return strings.TrimSpace(string(b))
}

// kinds are the kinds of events with their tables.
var kinds = [][2]string{
	{"tool_call", "tool_calls"}, {"activation", "activations"}, {"request_prefix", "request_prefixes"}, {"tool_roster", "tool_rosters"},
	{"tool_definition", "tool_definitions"}, {"client_heartbeat", "client_heartbeats"},
}

// forEachKind writes what stands between {for each kind} and {end} once for each kind, with its {kind} and {table}, as a union.
func forEachKind(sql string) string {
	before, rest, found := strings.Cut(sql, "{for each kind}")
	if !found {
		return sql
	}
	block, after, _ := strings.Cut(rest, "{end}")
	all := make([]string, len(kinds))
	for i, k := range kinds {
		all[i] = strings.NewReplacer("{kind}", k[0], "{table}", k[1]).Replace(block)
	}
	return before + strings.Join(all, "\n    UNION ALL\n    ") + after
}

// The tables have short names in the queries: c is tool_calls, v request_verdicts or notable_verdicts, a activations, r tool_rosters, d
// tool_definitions, h client_heartbeats, l dead_letters, f findings, t tool_changes. A column is named with its table wherever the query gives
// a result the same name: unqualified it would be the result.
const (
	// tool is the name by which reports know the tool of a call.
	tool = "if(c.resolved_name = '', c.tool_name, c.resolved_name)"
	// hashOfTool groups calls by tool; hashes of names are quicker to group by than names.
	hashOfTool = "cityHash64(c.server) + 3 * cityHash64(c.tool_name) + 5 * cityHash64(c.resolved_name)"
	// drifted tells that a call has drifted; a call that failed validation has, classified or not.
	drifted = "(c.drift_class IN ('old_version', 'silent_default', 'unknown_argument', 'validation_error')" +
		" OR c.drift_class IN ('', 'unregistered') AND c.outcome = 'validation_error')"
	// unjudged tells that a call was held against no schema.
	unjudged = "c.drift_class IN ('', 'unregistered') AND c.outcome != 'validation_error'"
	// breaks are the verdicts of requests that broke the cache.
	breaks = "('model_changed', 'tools_changed', 'system_changed', 'params_changed', 'compaction', 'messages_changed'," +
		" 'breakpoints_changed', 'ttl_expired', 'unattributed')"
	// tokensLost adds up tokens that were lost; a sum that no client can read is cut.
	tokensLost = "toUInt64(least(ifNull(sum(toUInt128(v.tokens_lost)), 0), toUInt128(9223372036854775807)))"
	// storedLive tells that an event was stored within a day of when it happened: what was stored later is a recording that somebody read.
	storedLive = "e.ingested_at < e.time + toIntervalDay(1)"
	// storedWithin is how many seconds 99 of 100 events took to be stored, -1 where none was stored live.
	storedWithin = "if(countIf(" + storedLive + ") = 0, -1, quantileTDigestIf(0.99)(toFloat32(greatest(dateDiff('millisecond', e.time, e.ingested_at), 0)) / 1000," +
		" " + storedLive + "))"
	// open tells that a finding waits for somebody.
	open = "f.state = 'open'"
	// findingColumns are what panels say of findings.
	findingColumns = "toString(f.severity) AS severity, f.title AS title, f.action AS action, f.changed AS changed, f.example AS example," +
		" toString(f.owner) AS owner, toString(f.server) AS server, toString(f.tool) AS tool, toString(f.model) AS model, toString(f.agent) AS agent," +
		" f.conversation AS conversation, toString(f.detector) AS detector, if(f.began = 0, NULL, f.began) AS began, f.last_seen AS last_seen," +
		" f.fingerprint AS fingerprint"
	// nameOfCall is what was wrong with the name of a call of w, what the model called the tool, within a bridge what it gave to the bridge, and
	// the tool that it meant.
	nameOfCall = "toString(w.resolution) AS rule, toString(w.resolution_how) AS how, toString(w.server) AS server," +
		" toString(multiIf(w.bridged_name != '', w.bridged_name," +
		" w.bridge = '' OR w.resolved_name = '' OR w.resolution IN ('guessed', 'prefix_repair'), w.tool_name, w.resolved_name)) AS called," +
		" if(w.resolved_name = called, '', toString(w.resolved_name)) AS meant"
	// worstFirst is the order of findings, and how many are shown: the gravest, of those the ones seen in the latest hour, of those the largest, by
	// tokens where a finding says them, else by calls or what it counts.
	worstFirst = "ORDER BY indexOf(['critical', 'warning', 'info'], severity), toStartOfHour(f.last_seen) DESC, f.size DESC, title\nLIMIT 100"
	// wilson is the share of calls that drifted and the Wilson score interval that holds it with 95 % confidence; z is 1.96 squared, by the count.
	// Where no call was held against a schema nobody knows it.
	wilson = "if(calls = unjudged, NULL, drifted / calls) AS ratio, 3.8414588206941227 / greatest(calls, 1) AS z," +
		" if(isNull(ratio), NULL, greatest(0, least(ratio, (ratio + z / 2 - sqrt(ratio * (1 - ratio) * z + z * z / 4)) / (1 + z)))) AS ci_low," +
		" if(isNull(ratio), NULL, least(1, greatest(ratio, (ratio + z / 2 + sqrt(ratio * (1 - ratio) * z + z * z / 4)) / (1 + z)))) AS ci_high"
)

// shared fills in what is written in braces in the files: what is said above, and the conditions that narrow a table to what the variables say.
var shared = strings.NewReplacer(
	"{tool}", tool,
	"{hash of tool}", hashOfTool,
	"{drifted}", drifted,
	"{unjudged}", unjudged,
	"{stored live}", storedLive,
	"{ratio of drifted to calls}", wilson,
	"{breaks}", breaks,
	"{sum of tokens}", tokensLost,
	"{seconds until 99 of 100 were stored}", storedWithin,
	"{open}", open,
	"{runbook}", runbookOf(),
	"{urgency}", urgencyOf(),
	"{columns of findings}", findingColumns,
	"{worst first}", worstFirst,
	"{name of call}", nameOfCall,
	"{calls of wrong names}", wrongNames("tool_calls AS c", "judged_calls AS c FINAL"),
	"{calls looked up later}", lookedUp,
	"{names judged in the conversation}", judgedInConversation,
	"{scope of calls}", scopeOfCalls,
	"{scope of requests}", narrow("agent", "v.agent_name", "model", "v.request_model", "environment", "v.environment", "team", "v.team"),
	"{scope of activations}", narrow("agent", "a.agent_name", "model", "a.request_model", "environment", "a.environment", "team", "a.team"),
	"{scope of rosters}", narrow("agent", "r.agent_name", "environment", "r.environment", "team", "r.team"),
	"{scope of lists}", narrow("server", "r.server"),
	"{scope of definitions}", narrow("server", "d.server", "tool", "d.tool_name"),
	"{scope of heartbeats}", narrow("agent", "h.agent_name", "environment", "h.environment", "team", "h.team"),
	"{scope of events}", narrow("agent", "e.agent_name", "environment", "e.environment", "team", "e.team"),
	"{scope of changes}", narrow("server", "t.server", "tool", "t.tool"),
	"{scope of findings}", narrowSubject("model", "server")+" AND "+narrowTool()+" AND "+narrowPlaces("agent", "environment", "team"),
	"{scope of findings of requests}", narrowSubject("model")+" AND "+narrowPlaces("agent", "environment", "team"),
	"{calls of conversation}", "c.conversation_id != '' AND "+equal("conversation", "c.conversation_id"),
	"{activations of conversation}", "a.conversation_id != '' AND "+equal("conversation", "a.conversation_id"),
	"{verdicts of conversation}", "v.conversation_id != '' AND v.conversation_hash = sipHash64("+value("conversation")+") AND "+
		equal("conversation", "v.conversation_id"),
)

// scopeOfCalls is the condition that a call is what variables say.
var scopeOfCalls = narrow(
	"agent", "c.agent_name", "model", "c.request_model", "server", "c.server", "tool", tool, "environment", "c.environment", "team", "c.team")

// wrongNames are the calls whose name was wrong: those that their senders looked up, and those that the analyzer did.
func wrongNames(tables ...string) string {
	var all []string
	for _, table := range tables {
		all = append(all, "SELECT c.time, c.resolution, c.resolution_how, c.server, c.tool_name, c.resolved_name, c.bridge, c.bridged_name, c.agent_name,"+
			" c.request_model, c.conversation_id, c.piece_hash, c.input_tokens, c.output_tokens FROM "+table+
			" WHERE $__timeFilter(c.time) AND c.resolution NOT IN ('', 'ok') AND "+scopeOfCalls)
	}
	return "(" + strings.Join(all, " UNION ALL ") + ")"
}

var (
	// lookedUp is how many calls the analyzer looked up. They are held against their calls only where a variable says that it must be.
	lookedUp = "(SELECT count() FROM looked_up_calls AS k FINAL WHERE $__timeFilter(k.time) AND k.known AND " +
		narrow("agent", "k.agent_name", "environment", "k.environment", "team", "k.team") +
		" AND ($__conditionalAll(0, $model) AND $__conditionalAll(0, $server) AND $__conditionalAll(0, $tool) OR (k.lane, k.seq, k.pos) GLOBAL IN" +
		" (SELECT c.lane, c.seq, c.pos FROM tool_calls AS c WHERE $__timeFilter(c.time) AND c.resolution = '' AND " + scopeOfCalls + ")))"
	// judgedInConversation are the names that the analyzer looked up of a conversation's calls.
	judgedInConversation = "(SELECT j.id AS id, toString(j.resolution) AS resolution, toString(j.resolved_name) AS meant FROM judged_calls AS j FINAL" +
		" WHERE " + equal("conversation", "j.conversation_id") + " AND j.resolution NOT IN ('', 'ok'))"
)

// narrow returns the conditions that columns have the values of variables, given in pairs of variable and column.
func narrow(pairs ...string) string {
	var conditions []string
	for i := 0; i+1 < len(pairs); i += 2 {
		conditions = append(conditions, fmt.Sprintf("$__conditionalAll(%s, $%s)", equal(pairs[i], pairs[i+1]), pairs[i]))
	}
	return strings.Join(conditions, " AND ")
}

// narrowSubject returns the conditions that a finding is about the values of variables; one that does not name a variable is about all of them.
func narrowSubject(names ...string) string {
	var conditions []string
	for _, n := range names {
		conditions = append(conditions, fmt.Sprintf("$__conditionalAll((f.%s = '' OR %s), $%s)", n, equal(n, "f."+n), n))
	}
	return strings.Join(conditions, " AND ")
}

// narrowTool returns the condition that a finding is about the tool that the variable says, about all tools of a server that has it, or about no tool
// and server at all.
func narrowTool() string {
	return "$__conditionalAll((f.tool = " + value("tool") + " OR f.tool = '' AND (f.server = '' OR f.server GLOBAL IN" +
		" (SELECT toString(g.server) FROM tool_calls AS g WHERE g.tool_name = " + value("tool") + " GROUP BY g.server))), $tool)"
}

// narrowPlaces returns the conditions that a finding's events were where variables say; one whose places are not known, or not all of them since a
// finding keeps so many, may be anywhere.
func narrowPlaces(names ...string) string {
	var conditions []string
	for _, n := range names {
		conditions = append(conditions, fmt.Sprintf(
			"$__conditionalAll((f.%[1]s = %[2]s OR has(f.%[1]ss, %[2]s) OR f.%[1]s = '' AND (empty(f.%[1]ss) OR length(f.%[1]ss) >= %[3]d)), $%[1]s)",
			n, value(n), finding.MaxPlaces))
	}
	return strings.Join(conditions, " AND ")
}

// equal is the condition that a column has the value of a variable.
func equal(variable, column string) string { return column + " = " + value(variable) }

// value is the value of a variable. It is percent-encoded in the query, so that no quote or backslash in it is one of the query's.
func value(variable string) string {
	return fmt.Sprintf("decodeURLComponent('${%s:percentencode}')", variable)
}
