package prefix

import (
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// Param says one parameter whose change can invalidate a cached prefix.
type Param struct {
	// Name is its place in the body: a member, or OBJECT.MEMBER.
	Name string
	// From is the first part of the prefix that a change invalidates: tools, system or messages.
	From string
	// Source says where that is written and when it was read, or that it is inferred.
	Source string
}

const (
	sourceAnthropic  = "Anthropic, prompt caching guide, what invalidates the cache; not read against the page of today"
	sourceOpenAI     = "OpenAI, prompt caching guide and cache diagnostics (settings that must agree); not read against the page of today"
	sourceOpenRouter = "OpenRouter, provider routing and prompt caching guides (a cache belongs to one provider); not read against the page of today"
	sourceGemini     = "inferred: the setting is rendered into the prompt; Google documents none"
	sourceBedrock    = "Amazon Bedrock, prompt caching guide (models' own rules apply); not read against the page of today"
)

// params is the table, sorted by name.
var params = []Param{
	{"additionalModelRequestFields.reasoning_config", "messages", sourceBedrock},
	{"additionalModelRequestFields.thinking", "messages", sourceBedrock},
	{"additionalModelRequestFields.output_config", "messages", sourceBedrock},
	{"context_management", "messages", sourceAnthropic},
	{"generationConfig.responseJsonSchema", "messages", sourceGemini},
	{"generationConfig.responseMimeType", "messages", sourceGemini},
	{"generationConfig.responseModalities", "messages", sourceGemini},
	{"generationConfig.responseSchema", "messages", sourceGemini},
	{"generationConfig.thinkingConfig", "messages", sourceGemini},
	{"models", "tools", sourceOpenRouter},
	{"output_config.effort", "messages", sourceAnthropic},
	{"output_config.format", "system", sourceAnthropic},
	{"output_format", "system", sourceAnthropic},
	{"parallel_tool_calls", "tools", sourceOpenAI},
	{"prompt_cache_key", "tools", sourceOpenAI},
	{"prompt_cache_retention", "tools", sourceOpenAI},
	{"prompt_cache_options.mode", "tools", sourceOpenAI},
	{"provider", "tools", sourceOpenRouter},
	{"reasoning.context", "messages", sourceOpenAI},
	{"reasoning.effort", "system", sourceOpenAI},
	{"reasoning.mode", "system", sourceOpenAI},
	{"reasoning_effort", "system", sourceOpenAI},
	{"response_format", "system", sourceOpenAI},
	{"service_tier", "tools", sourceOpenAI},
	{"speed", "system", sourceAnthropic},
	{"text.format", "system", sourceOpenAI},
	{"text.verbosity", "system", sourceOpenAI},
	{"thinking", "messages", sourceAnthropic},
	{"toolConfig.functionCallingConfig", "messages", sourceGemini},
	{"toolConfig.toolChoice", "messages", sourceBedrock},
	{"tool_choice", "messages", sourceAnthropic},
	{"verbosity", "system", sourceOpenAI},
}

// Params returns the table of parameters that [Split] keeps, sorted by name.
func Params() []Param {
	all := slices.Clone(params)
	slices.SortFunc(all, func(a, b Param) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// paramNames is the table's names.
var paramNames = func() map[string]bool {
	m := map[string]bool{}
	for _, p := range params {
		m[p.Name] = true
	}
	return m
}()

// param reads a value and keeps its digest, where the table has it. A parameter that is null is one that was not sent.
func (s *splitter) param(name string) error {
	if !paramNames[name] {
		return s.dec.SkipValue()
	}
	v, err := s.value()
	if err != nil || v.Kind() == 'n' {
		return err
	}
	canonical, err := events.Canonical(v)
	if err != nil { // such as a name twice: the bytes must do
		canonical = v
	}
	s.req.Params = slices.DeleteFunc(s.req.Params, func(p events.Param) bool { return p.Name == name })
	s.req.Params = append(s.req.Params, events.Param{Name: name, Digest: s.digester.Short(canonical)})
	return nil
}

func sortParams(ps []events.Param) {
	slices.SortFunc(ps, func(a, b events.Param) int { return strings.Compare(a.Name, b.Name) })
}
