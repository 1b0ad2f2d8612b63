package prefix

import "slices"

// diagnoses says what the words of providers for a cache miss stand for, the verdict that is nearest first. Words that are not here,
// and those with an empty list, leave it open.
//
// Sources, both read on 2026-11-30: Anthropic, diagnostics.cache_miss_reason.type of the Messages API
// (https://platform.claude.com/docs/en/build-with-claude/cache-diagnostics); OpenAI, type and reason of
// prompt_cache_diagnostics of the Responses API (https://developers.openai.com/api/docs/guides/prompt-caching/diagnostics).
var diagnoses = map[string][]Verdict{
	// Both.
	"model_changed": {ModelChanged},
	"tools_changed": {ToolsChanged},
	"unavailable":   {}, // at Anthropic also another parameter, or a difference too far behind
	// Anthropic.
	"system_changed":             {SystemChanged},
	"messages_changed":           {MessagesChanged, Compaction}, // it has no word of its own for a compaction
	"previous_message_not_found": {},
	// OpenAI. Its instructions are part of the input.
	"cache_hit":                     {OK},
	"input_changed":                 {MessagesChanged, SystemChanged, Compaction},
	"context_compacted":             {Compaction},
	"prompt_cache_key_changed":      {ParamsChanged},
	"service_tier_changed":          {ParamsChanged},
	"text_format_changed":           {ParamsChanged},
	"reasoning_effort_changed":      {ParamsChanged},
	"verbosity_changed":             {ParamsChanged},
	"cache_miss":                    {}, // a miss with no reason given
	"comparison_response_not_found": {},
}

// diagnose says which verdict a provider's words stand for, and how they stand beside ours. The provider compares what was sent with
// a request of the caller's choice, whether or not the cache was hit, so a change that we call a risk agrees too.
func diagnose(words string, ours *Judged) (Verdict, Agreement) {
	if words == "" {
		return "", ""
	}
	theirs := diagnoses[words]
	if len(theirs) == 0 {
		return "", Unclear
	}
	for _, v := range theirs {
		if v == ours.Verdict || slices.Contains(ours.Secondary, v) {
			return v, Agrees
		}
	}
	return theirs[0], Disagrees
}
