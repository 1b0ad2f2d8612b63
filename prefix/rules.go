package prefix

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// About is what a cache rule is about.
type About string

// The kinds of rules.
const (
	AboutOrder    About = "order"    // the order in which a prompt is cached
	AboutMarkers  About = "markers"  // how a request says where a cached prefix ends, and how often it may
	AboutLifetime About = "lifetime" // how long a cached prefix is kept
	// AboutLifetimeFrom says when a lifetime begins; its Name is [FromStart]. Without such a rule it is when the request ended.
	AboutLifetimeFrom About = "lifetime_from"
	AboutLookback     About = "lookback"  // how far before a marker a cached prefix is looked for
	AboutMinimum      About = "minimum"   // the shortest prefix that is cached
	AboutStep         About = "step"      // what cached lengths are a multiple of
	AboutScope        About = "scope"     // what a cache is kept apart by
	AboutParameter    About = "parameter" // a member of the body beside the prompt, and what its change invalidates
	AboutDerived      About = "derived"   // something said in many places of the body that counts as a parameter
	AboutSame         About = "same"      // the provider whose rules hold for a shape of requests, named by Value
)

// Standing is how well a rule is known.
type Standing string

// The standings of rules.
const (
	Documented  Standing = "documented"  // its source says so
	Inferred    Standing = "inferred"    // its source lets one think so, or the parameter's purpose does
	Unconfirmed Standing = "unconfirmed" // nothing was found for it or against it
)

// InvalidatesNothing is the From of a parameter that may change without harm to the cache.
const InvalidatesNothing = "none"

// FromStart is the Name of a lifetime that begins when the request does that wrote or read.
const FromStart = "start"

// CacheRule is one row of the table of cache rules: what holds at a provider, who says so and when.
type CacheRule struct {
	// Provider is spelled as [ProviderName] does.
	Provider string `json:"provider"`
	// API is the shape of requests that the rule holds for; empty is all.
	API API `json:"api,omitzero"`
	// What the rule is about.
	What About `json:"what"`
	// Name is a parameter's place in the body (a member, or OBJECT.MEMBER), the name of what is derived, or when a lifetime begins.
	Name string `json:"name,omitzero"`
	// From is the first part of the prefix that a change invalidates (tools, system or messages), or [InvalidatesNothing].
	From string `json:"from,omitzero"`
	// Value says in words what holds, and what is not known of it.
	Value string `json:"value,omitzero"`
	// Standing is how well it is known.
	Standing Standing `json:"standing"`
	// Source is the key of the [CacheSource] that says so.
	Source string `json:"source"`
}

// CacheSource is a document that rules rest on.
type CacheSource struct {
	// Title names who wrote it and what it is called.
	Title string `json:"title"`
	// AsOf is the day that the text read is of; empty where the text says none.
	AsOf string `json:"as_of,omitzero"`
	// Read is the day on which a stored copy of it was read.
	Read string `json:"read"`
	// Note says what else is to be known of it.
	Note string `json:"note,omitzero"`
}

// Checked is the day that a rule resting on the source can claim: that of the text, or else that of the reading.
func (s CacheSource) Checked() string {
	if s.AsOf != "" {
		return s.AsOf
	}
	return s.Read
}

type ruleBook struct {
	Sources map[string]CacheSource `json:"sources"`
	Rules   []CacheRule            `json:"rules"`
}

//go:embed rules.json
var rulesJSON string

var rules = mustRules(rulesJSON)

func mustRules(s string) ruleBook {
	var b ruleBook
	if err := json.Unmarshal([]byte(s), &b, json.RejectUnknownMembers(true)); err != nil {
		panic(fmt.Errorf("read rules: %w", err))
	}
	return b
}

// CacheRules returns the table of cache rules, by provider; docs/cache-rules.md shows it.
func CacheRules() []CacheRule { return slices.Clone(rules.Rules) }

// SourceOf returns the document that a rule rests on.
func SourceOf(r CacheRule) CacheSource { return rules.Sources[r.Source] }

// ruleKey finds parameters.
type ruleKey struct {
	provider string
	api      API
	name     string
}

// paramIndex is the table made ready for lookups.
type paramIndex struct {
	names   map[string]bool // parameters of any provider
	objects map[string]bool // objects whose members are parameters
	from    map[ruleKey]string
	same    map[ruleKey]string // by provider and shape: whose rules hold
	known   map[string]bool    // providers that the table has
	start   map[string]bool    // providers whose caches' lifetimes begin with a request's start
}

var params = indexParams(rules.Rules)

func indexParams(all []CacheRule) paramIndex {
	x := paramIndex{map[string]bool{}, map[string]bool{}, map[ruleKey]string{}, map[ruleKey]string{}, map[string]bool{}, map[string]bool{}}
	for _, r := range all {
		x.known[r.Provider] = true
		switch r.What {
		case AboutLifetimeFrom:
			x.start[r.Provider] = r.Name == FromStart
		case AboutSame:
			x.same[ruleKey{r.Provider, r.API, ""}] = r.Value
		case AboutParameter, AboutDerived:
			x.from[ruleKey{r.Provider, r.API, r.Name}] = r.From
			if r.What == AboutParameter && r.From != InvalidatesNothing {
				x.names[r.Name] = true
			}
			if object, _, ok := strings.Cut(r.Name, "."); ok {
				x.objects[object] = true
			}
		}
	}
	return x
}

// paramNamed reports whether a change of a parameter can invalidate a cache at any provider.
func paramNamed(name string) bool { return params.names[name] }

// invalidates returns the first part of the prefix that a change of a parameter invalidates at a provider, and false when it
// invalidates nothing there. Of a provider that the table has not, requests count as those of the maker of their shape. An
// unknown shape is any.
func invalidates(provider string, api API, name string) (part string, ok bool) {
	provider = ProviderName(provider)
	if api == "" {
		for _, api := range []API{APIMessages, APIResponses, APIChat, APIGenerate, APIConverse} {
			if part, ok := invalidates(provider, api, name); ok {
				return part, true
			}
		}
		return "", false
	}
	if !params.known[provider] {
		provider = makers[api]
	}
	if other, ok := params.same[ruleKey{provider, api, ""}]; ok {
		provider = other
	}
	part = params.from[ruleKey{provider, api, name}]
	return part, part != "" && part != InvalidatesNothing
}

// livesFromStart reports whether a provider counts the lifetime of a cache from the start of the request that wrote or read it.
func livesFromStart(provider string) bool { return params.start[ProviderName(provider)] }

// makers are who made the shapes.
var makers = map[API]string{
	APIMessages: ProviderAnthropic, APIChat: ProviderOpenAI, APIResponses: ProviderOpenAI, APIGenerate: ProviderGemini,
	APIConverse: ProviderBedrock,
}
