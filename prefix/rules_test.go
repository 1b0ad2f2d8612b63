package prefix

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func TestEveryRuleSaysWhoSaysSoAndWhen(t *testing.T) {
	seen := map[string]bool{}
	for i, r := range CacheRules() {
		if err := checkRule(r, rules.Sources, time.Now()); err != nil {
			t.Errorf("rule %d, %s %s %s: %v", i, r.Provider, r.What, r.Name, err)
		}
		if r.Source == "none" && r.Standing == Documented {
			t.Errorf("rule %d, %s %s: documented without a document", i, r.Provider, r.Name)
		}
		key := fmt.Sprint(r.Provider, r.API, r.What, r.Name, r.Value)
		if seen[key] {
			t.Errorf("rule %d is there twice: %s", i, key)
		}
		seen[key] = true
	}
	for key, s := range rules.Sources {
		if strings.Contains(s.Title+s.Note, "://") || !slices.ContainsFunc(CacheRules(), func(r CacheRule) bool { return r.Source == key }) {
			t.Errorf("source %q is an address or stands for no rule", key)
		}
	}
}

// checkRule reports what is wrong with a rule.
func checkRule(r CacheRule, sources map[string]CacheSource, today time.Time) error {
	src, ok := sources[r.Source]
	switch {
	case !ok || src.Title == "":
		return fmt.Errorf("source %q has no title", r.Source)
	case r.Provider == "" || ProviderName(r.Provider) != r.Provider:
		return fmt.Errorf("provider %q is spelled %q", r.Provider, ProviderName(r.Provider))
	case !slices.Contains([]Standing{Documented, Inferred, Unconfirmed}, r.Standing):
		return fmt.Errorf("standing %q", r.Standing)
	}
	for _, day := range []string{src.Read, src.Checked()} {
		if at, err := time.Parse(time.DateOnly, day); err != nil || at.After(today) {
			return fmt.Errorf("source %q: %q is not a day up to today", r.Source, day)
		}
	}
	return checkRuleParam(r)
}

func checkRuleParam(r CacheRule) error {
	isParam := r.What == AboutParameter || r.What == AboutDerived
	parts := append(slices.Clone(partNames[:]), InvalidatesNothing)
	if isParam && (r.Name == "" || r.API == "" || !slices.Contains(parts, r.From)) {
		return fmt.Errorf("parameter %q of shape %q from %q", r.Name, r.API, r.From)
	}
	name := ""
	if r.What == AboutLifetimeFrom {
		name = FromStart
	}
	if !isParam && (r.Value == "" || r.Name != name || r.From != "") {
		return fmt.Errorf("%s without a value, or with a name or a part", r.What)
	}
	return nil
}

func TestEveryProviderSaysWhatIsToBeKnownOfItsCache(t *testing.T) {
	has := map[string]bool{}
	for _, r := range CacheRules() {
		has[r.Provider+" "+string(r.What)] = true
	}
	for _, provider := range []string{ProviderAnthropic, ProviderOpenAI, ProviderGemini, ProviderBedrock, ProviderOpenRouter, ProviderDeepSeek, ProviderMistral} {
		for _, what := range []About{AboutOrder, AboutMarkers, AboutLifetime, AboutMinimum, AboutParameter} {
			if !has[provider+" "+string(what)] {
				t.Errorf("%s: nothing on %s", provider, what)
			}
		}
	}
	for _, provider := range []string{ProviderAzure, ProviderVertex} {
		if !has[provider+" same"] {
			t.Errorf("%s: nothing", provider)
		}
	}
}

func TestAParameterInvalidatesByProviderAndShape(t *testing.T) {
	for _, tt := range []struct {
		provider string
		api      API
		name     string
		want     string
	}{
		{"anthropic", APIMessages, "tool_choice", "messages"},
		{"anthropic", APIMessages, "speed", "system"},
		{"anthropic", APIMessages, "service_tier", ""},
		{"anthropic", APIMessages, "prompt_cache_key", ""},
		{"anthropic", APIMessages, "images", "messages"},
		{"anthropic", APIMessages, "web_search", "system"},
		{"anthropic", APIMessages, "max_tokens", ""},
		{"openai", APIResponses, "tool_choice", ""},
		{"openai", APIResponses, "service_tier", "tools"},
		{"openai", APIResponses, "prompt_cache_key", "tools"},
		{"openai", APIResponses, "prompt_cache_retention", ""},
		{"openai", APIResponses, "reasoning.effort", "system"},
		{"openai", APIChat, "reasoning.effort", ""},
		{"openai", APIChat, "reasoning_effort", "system"},
		{"azure", APIChat, "parallel_tool_calls", "tools"},
		{"azure", APIMessages, "thinking", "messages"},
		{"google", APIGenerate, "toolConfig.functionCallingConfig", "messages"},
		{"vertex_ai", APIGenerate, "generationConfig.thinkingConfig", "messages"},
		{"vertex_ai", APIMessages, "tool_choice", "messages"},
		{"bedrock", APIMessages, "thinking", "messages"},
		{"bedrock", APIConverse, "toolConfig.toolChoice", "messages"},
		{"openrouter", APIChat, "provider", "tools"},
		{"openrouter", APIChat, "tool_choice", "messages"},
		{"deepseek", APIChat, "tool_choice", ""},
		{"mistral", APIChat, "prompt_cache_key", "tools"},
		{"house", APIChat, "response_format", "system"}, // a provider that the table has not, by its shape
		{"house", APIMessages, "thinking", "messages"},
		{"anthropic", "", "thinking", "messages"}, // an unknown shape is any
		{"openai", "", "tool_choice", ""},
	} {
		if got, ok := invalidates(tt.provider, tt.api, tt.name); got != tt.want && (ok || tt.want != "") || ok != (tt.want != "") {
			t.Errorf("%s %s %s: %q %v, want %q", tt.provider, tt.api, tt.name, got, ok, tt.want)
		}
	}
	for name, want := range map[string]bool{"tool_choice": true, "container.skills": true, "container": false, "prompt_cache_retention": false, "images": false, "temperature": false} {
		if paramNamed(name) != want {
			t.Errorf("%s is kept while reading: %v", name, !want)
		}
	}
}

func TestAChangeThatHarmsNothingIsNoParameter(t *testing.T) {
	for name, tt := range map[string]struct {
		provider, body string
		want           string
	}{
		"tool choice at Anthropic": {"anthropic", `{"messages":[],"tool_choice":{"type":"auto"},"service_tier":"auto","max_tokens":9}`, "tool_choice"},
		"tool choice at OpenAI":    {"openai", `{"input":"x","tool_choice":"none","service_tier":"flex","prompt_cache_retention":"24h","temperature":1}`, "service_tier"},
		"known after all":          {"", `{"tool_choice":"none","parallel_tool_calls":true,"model":"gpt-x","input":"x"}`, "parallel_tool_calls"},
		"another shape's":          {"openai", `{"messages":[],"thinking":{"a":1},"speed":"fast","reasoning_effort":"low"}`, "reasoning_effort"},
		"skills and not container": {"anthropic", `{"messages":[],"container":{"id":"c1","skills":[{"skill_id":"s"}]}}`, "container.skills"},
		"a container's id":         {"anthropic", `{"messages":[],"container":"c1"}`, ""},
		"web search":               {"anthropic", `{"messages":[],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`, "web_search"},
		"a tool of that name":      {"anthropic", `{"messages":[],"tools":[{"name":"web_search_notes","input_schema":{}}]}`, ""},
		"deepseek":                 {"deepseek", `{"messages":[],"tool_choice":"auto","thinking":{"type":"enabled"}}`, "thinking"},
	} {
		r, err := Split(tt.provider, []byte(tt.body), events.Digester{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range r.Params {
			got = append(got, p.Name)
		}
		if d := cmp.Diff(tt.want, strings.Join(got, ",")); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestTheRulesInTheDocumentationAreThoseOfTheTable(t *testing.T) {
	golden(t, "../docs/cache-rules.md", rulesDoc())
}

// golden compares a page of documentation with what the tables say, or writes it with -update.
func golden(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the table says (%v); run go test ./prefix -update", path, err)
	}
}

// rulesDoc writes the table as documentation.
func rulesDoc() []byte {
	var b bytes.Buffer
	b.WriteString(rulesHead)
	provider := ""
	for _, r := range CacheRules() {
		if r.Provider != provider {
			provider = r.Provider
			fmt.Fprintf(&b, "\n## %s\n\n| shape | what | name | invalidates from | in words | standing | source, day |\n|---|---|---|---|---|---|---|\n", provider)
		}
		shape := "any"
		if r.API != "" {
			shape = string(r.API)
		}
		name := r.Name
		if name != "" {
			name = "`" + name + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s, %s |\n", shape, r.What, name, r.From, r.Value, r.Standing, r.Source, SourceOf(r).Checked())
	}
	writeSources(&b)
	return b.Bytes()
}

func writeSources(b *bytes.Buffer) {
	b.WriteString("\n## Sources\n\n| source | title | text of | read | note |\n|---|---|---|---|---|\n")
	var keys []string
	for k := range rules.Sources {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		s := rules.Sources[k]
		asOf := s.AsOf
		if asOf == "" {
			asOf = "-"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", k, s.Title, asOf, s.Read, s.Note)
	}
}

const rulesHead = `# Cache rules by provider

This is ` + "`prefix/rules.json`" + `, written by ` + "`go test ./prefix -update`" + `. It says in which order a provider caches a prompt, how a request marks where a cached prefix ends,
how long it is kept, and which parameters beside the prompt matter. Prices and minimums by model are in prices.md.

A parameter whose change invalidates a part of the prefix is kept as a digest with each request; a difference from the request compared with is
` + "`params_changed`" + `. One that invalidates nothing ("none", or not in the table) is left out, so that it is blamed for nothing. Rows of kind "same" say whose rules
hold for a shape of requests. Requests to a provider that is not here count as those of the maker of their shape. "derived" rows are parameters
that no one member of the body says: they are on or off.

Standing: "documented" is what the source says; "inferred" follows from the source or from what the parameter does; "unconfirmed" is neither said nor
denied by anything found. The day is that of the text, or, where the text has none, the day on which a stored copy was read: pages change,
and none of them was read live.
`
