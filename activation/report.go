package activation

import (
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// Rules that are not resolutions of a called name.
const (
	RuleMadeUpID      = "made_up_id"
	RuleLoop          = "loop"
	RuleRepeatedLoad  = "repeated_activation"
	RuleNeverCalled   = "never_called"
	RuleRefused       = "activation_refused"
	RuleSummaryCut    = "summary_cut"
	RuleNameCollision = "name_collision"
	// RuleActivationFailed is broken by an activation that loaded nothing of what was asked for, though not all of it was loaded before.
	RuleActivationFailed = "activation_failed"
	// RuleRoundTrips is broken by each answer of a model that asked for tools right after another that did.
	RuleRoundTrips = "activation_round_trips"
	// RuleRemoved is broken by calls of a tool that the agent's lists had once; they are counted under unknown or guessed too.
	RuleRemoved = "called_after_removal"
	// RuleIdlePermission is broken by a tool that is not permitted and that its server's own list does not have.
	RuleIdlePermission = "permission_matches_nothing"
)

// Report is what [Analyze] says of all calls, activations and rosters in a window.
type Report struct {
	Calls uint64 `json:"calls"`
	// Judged counts the calls whose name was looked up in a roster.
	Judged uint64 `json:"judged"`
	// Rules has every rule, those that nothing broke too.
	Rules map[string]*Rule `json:"rules"`
	// MadeUpIDs are in the order of the calls; there are at most [Settings.MadeUpListed] of them.
	MadeUpIDs []MadeUp `json:"made_up_ids"`
	Loops     []Loop   `json:"loops"`
	Loads     []Load   `json:"loads"`
	// Pays compares loading on demand with loading everything, for each agent that has tools to be loaded.
	Pays []Pay `json:"pays"`
}

// Rule counts what broke one rule.
type Rule struct {
	// Count is in calls; for loops in loops, for repeated_activation, never_called and activation_refused in loads, for the roster's
	// rules in tools or groups of names; for activation_failed in activations, for activation_round_trips in answers of a model.
	Count  uint64 `json:"count"`
	Tokens uint64 `json:"tokens"`
	// Names are the names concerned, the most frequent first, at most [Settings.NamesListed].
	Names []Name `json:"names"`
	Parts
}

// Name is one name that broke a rule.
type Name struct {
	Server string `json:"server,omitempty"`
	// Called is what was called or asked for, Meant the tool that was meant, How in what way one is the other.
	Called        string   `json:"called"`
	Meant         string   `json:"meant,omitempty"`
	How           string   `json:"how,omitempty"`
	Count         uint64   `json:"count"`
	Tokens        uint64   `json:"tokens,omitempty"`
	Conversations uint64   `json:"conversations,omitempty"`
	Models        []string `json:"models,omitempty"`
}

// MadeUp is one made-up id.
type MadeUp struct {
	Server       string `json:"server"`
	Tool         string `json:"tool"`
	Model        string `json:"model,omitempty"`
	Conversation string `json:"conversation"`
	// Path is a JSON pointer into the arguments.
	Path   string `json:"path"`
	Digest string `json:"digest"`
	// Value is empty unless the agent's owner has values sent.
	Value string `json:"value"`
}

// Loop is one failing call made several times in a row.
type Loop struct {
	Server       string `json:"server"`
	Tool         string `json:"tool"`
	Conversation string `json:"conversation"`
	Calls        uint64 `json:"calls"`
	Tokens       uint64 `json:"tokens"`
	// Outcome is how the calls ended.
	Outcome string `json:"outcome"`
	Agent   string `json:"agent,omitzero"`
	Model   string `json:"model,omitzero"`
	// Last is when the last of the calls was.
	Last time.Time `json:"last,omitzero"`
	// CostUSD is what the tokens cost at the price of input that no cache held; nil where no price is known.
	CostUSD *float64 `json:"cost_usd"`
}

// Load is how often one tool was loaded.
type Load struct {
	Tool string `json:"tool"`
	// Loaded is in how many conversations it was loaded, NeverCalled in how many of those it was never called, and Repeated how many
	// loads more than one a conversation there were.
	Loaded      uint64 `json:"loaded"`
	Repeated    uint64 `json:"repeated"`
	NeverCalled uint64 `json:"never_called"`
}

// nameRules are the resolutions that are rules.
var nameRules = []events.Resolution{
	events.ResolvedNotActivated, events.ResolvedRenamed, events.ResolvedNotConnected, events.ResolvedNotPermitted,
	events.ResolvedConnectorName, events.ResolvedPrefixRepair, events.ResolvedGuessed, events.ResolvedUnknown,
}

func newReport() Report {
	r := Report{Rules: map[string]*Rule{}, MadeUpIDs: []MadeUp{}, Loops: []Loop{}, Loads: []Load{}, Pays: []Pay{}}
	for _, name := range nameRules {
		r.rule(string(name))
	}
	for _, name := range []string{
		RuleMadeUpID, RuleLoop, RuleRepeatedLoad, RuleNeverCalled, RuleRefused, RuleSummaryCut, RuleNameCollision,
		RuleActivationFailed, RuleRoundTrips, RuleRemoved, RuleIdlePermission,
	} {
		r.rule(name)
	}
	return r
}

// rule returns a rule's counts.
func (r *Report) rule(name string) *Rule {
	if r.Rules[name] == nil {
		r.Rules[name] = &Rule{Names: []Name{}}
	}
	return r.Rules[name]
}
