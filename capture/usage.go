package capture

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// Usage is what one request used, in the one normal form: the three kinds of input do not overlap, and what the provider did not
// report is not known, which is not zero. docs/usage.md shows each provider's own form beside it.
type Usage struct {
	UncachedInputTokens     events.Count
	CacheReadInputTokens    events.Count
	CacheWrite5mInputTokens events.Count
	CacheWrite1hInputTokens events.Count
	OutputTokens            events.Count
	// StatedCostUSD is what the provider itself says that the request cost.
	StatedCostUSD events.Amount
	// unsplit says that the provider did not tell the writes' lifetimes apart.
	unsplit bool
}

// Known reports whether any count was reported.
func (u *Usage) Known() bool {
	return u.UncachedInputTokens.Known || u.CacheReadInputTokens.Known || u.CacheWrite5mInputTokens.Known ||
		u.CacheWrite1hInputTokens.Known || u.OutputTokens.Known
}

// InputTokens is the whole prompt, as far as it was reported.
func (u *Usage) InputTokens() events.Count {
	return events.Count{
		N:     u.UncachedInputTokens.N + u.CacheReadInputTokens.N + u.CacheWrite5mInputTokens.N + u.CacheWrite1hInputTokens.N,
		Known: u.UncachedInputTokens.Known,
	}
}

// split moves writes whose lifetime the provider did not tell to one hour, where all of the request's breakpoints ask for that.
func (u *Usage) split(breakpoints []events.Breakpoint) {
	if !u.unsplit || !u.CacheWrite5mInputTokens.Known || len(breakpoints) == 0 {
		return
	}
	for _, b := range breakpoints {
		if b.TTLSeconds != 3600 {
			return
		}
	}
	u.CacheWrite1hInputTokens, u.CacheWrite5mInputTokens = u.CacheWrite5mInputTokens, events.Tokens(0)
}

// Set puts the usage into a request.
func (u *Usage) Set(r *events.RequestPrefix) {
	r.UncachedInputTokens, r.CacheReadInputTokens = u.UncachedInputTokens, u.CacheReadInputTokens
	r.CacheWrite5mInputTokens, r.CacheWrite1hInputTokens = u.CacheWrite5mInputTokens, u.CacheWrite1hInputTokens
	r.OutputTokens = u.OutputTokens
	if u.StatedCostUSD.Known {
		r.StatedCostUSD = u.StatedCostUSD
	}
}

// ReadUsage reads a provider's usage object; the names in it tell whose it is. Anything else is usage that was not reported.
func ReadUsage(raw jsontext.Value) Usage {
	var j usageJSON
	if !isObject(raw) || decodeLenient(raw, &j) != nil {
		return Usage{}
	}
	var u Usage
	switch {
	case j.PromptTokenCount.Known || j.CandidatesTokenCount.Known:
		u = j.gemini()
	case j.BedrockInput.Known:
		u = j.bedrock()
	case j.PromptTokens.Known || j.CompletionTokens.Known:
		u = j.whole(j.PromptTokens, j.CompletionTokens, j.PromptDetails)
	case j.InputDetails != nil || j.TotalTokens.Known && !j.CacheRead.Known:
		u = j.whole(j.Input, j.Output, j.InputDetails)
	default:
		u = j.anthropic()
	}
	u.StatedCostUSD = j.cost()
	return u
}

// usageJSON has the members of all providers' usage objects.
type usageJSON struct {
	// Anthropic Messages; the first two also OpenAI Responses.
	Input         tokenCount `json:"input_tokens"`
	Output        tokenCount `json:"output_tokens"`
	CacheRead     tokenCount `json:"cache_read_input_tokens"`
	CacheCreation tokenCount `json:"cache_creation_input_tokens"`
	CreationByTTL *struct {
		FiveMinutes tokenCount `json:"ephemeral_5m_input_tokens"`
		OneHour     tokenCount `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	// OpenAI Responses.
	InputDetails *inputDetails `json:"input_tokens_details"`
	TotalTokens  tokenCount    `json:"total_tokens"`
	// OpenAI Chat Completions, OpenRouter, DeepSeek, Mistral.
	PromptTokens     tokenCount    `json:"prompt_tokens"`
	CompletionTokens tokenCount    `json:"completion_tokens"`
	PromptDetails    *inputDetails `json:"prompt_tokens_details"`
	CacheHit         tokenCount    `json:"prompt_cache_hit_tokens"`
	CachedTokens     tokenCount    `json:"cached_tokens"`
	// OpenRouter.
	Cost        *float64 `json:"cost"`
	OwnKey      bool     `json:"is_byok"`
	CostDetails *struct {
		Upstream *float64 `json:"upstream_inference_cost"`
	} `json:"cost_details"`
	// Gemini.
	PromptTokenCount     tokenCount `json:"promptTokenCount"`
	CandidatesTokenCount tokenCount `json:"candidatesTokenCount"`
	CachedContentCount   tokenCount `json:"cachedContentTokenCount"`
	ThoughtsTokenCount   tokenCount `json:"thoughtsTokenCount"`
	ToolUsePromptCount   tokenCount `json:"toolUsePromptTokenCount"`
	// Bedrock Converse.
	BedrockInput  tokenCount `json:"inputTokens"`
	BedrockOutput tokenCount `json:"outputTokens"`
	BedrockRead   tokenCount `json:"cacheReadInputTokens"`
	BedrockWrite  tokenCount `json:"cacheWriteInputTokens"`
	CacheDetails  []struct {
		TTL   string     `json:"ttl"`
		Input tokenCount `json:"inputTokens"`
	} `json:"cacheDetails"`
}

// inputDetails says how much of a whole prompt came from the cache or went into it.
type inputDetails struct {
	Cached       tokenCount `json:"cached_tokens"`
	Written      tokenCount `json:"cache_write_tokens"`
	WrittenOlder tokenCount `json:"cache_creation_tokens"`
}

// anthropic: input_tokens leaves out what was read from the cache or written to it.
func (j *usageJSON) anthropic() Usage {
	u := Usage{UncachedInputTokens: j.Input.Count, CacheReadInputTokens: j.CacheRead.Count, OutputTokens: j.Output.Count}
	u.CacheWrite5mInputTokens = j.CacheCreation.Count
	t := j.CreationByTTL
	if u.unsplit = t == nil || t.FiveMinutes.N+t.OneHour.N < j.CacheCreation.N; !u.unsplit {
		u.CacheWrite5mInputTokens, u.CacheWrite1hInputTokens = t.FiveMinutes.Count, t.OneHour.Count
	}
	return u
}

// whole: OpenAI, OpenRouter, DeepSeek and Mistral count the whole prompt and say how much of it was cached. Their writes have one
// lifetime, which the request's breakpoints give; they stand under 5m, whose multiplier is theirs.
func (j *usageJSON) whole(prompt, output tokenCount, d *inputDetails) Usage {
	if d == nil {
		d = &inputDetails{}
	}
	read := firstKnown(d.Cached, j.CacheHit, j.CachedTokens, j.CacheRead)
	written := firstKnown(d.Written, d.WrittenOlder, j.CacheCreation)
	u := Usage{CacheReadInputTokens: read, CacheWrite5mInputTokens: written, OutputTokens: output.Count}
	if prompt.Known {
		u.UncachedInputTokens = events.Tokens(max(prompt.N-read.N-written.N, 0))
	}
	return u
}

// gemini: the prompt count includes the cached content; thoughts are output; a count that is zero is left out of the JSON.
func (j *usageJSON) gemini() Usage {
	cached := j.CachedContentCount.N
	return Usage{
		UncachedInputTokens:  events.Tokens(max(j.PromptTokenCount.N-cached, 0) + j.ToolUsePromptCount.N),
		CacheReadInputTokens: events.Tokens(cached),
		OutputTokens:         events.Tokens(j.CandidatesTokenCount.N + j.ThoughtsTokenCount.N),
	}
}

// bedrock: inputTokens leaves the cache out; cacheDetails splits the writes by lifetime.
func (j *usageJSON) bedrock() Usage {
	u := Usage{
		UncachedInputTokens:     j.BedrockInput.Count,
		CacheReadInputTokens:    j.BedrockRead.Count,
		CacheWrite5mInputTokens: j.BedrockWrite.Count,
		OutputTokens:            j.BedrockOutput.Count,
		unsplit:                 len(j.CacheDetails) == 0,
	}
	for _, d := range j.CacheDetails {
		if d.TTL == "1h" && d.Input.Known {
			u.CacheWrite1hInputTokens = d.Input.Count
			u.CacheWrite5mInputTokens.N = max(u.CacheWrite5mInputTokens.N-d.Input.N, 0)
		}
	}
	return u
}

// cost is OpenRouter's own figure, in dollars. With a key of one's own the upstream provider's bill comes on top.
func (j *usageJSON) cost() events.Amount {
	if j.Cost == nil {
		return events.Amount{}
	}
	usd := *j.Cost
	if d := j.CostDetails; j.OwnKey && d != nil && d.Upstream != nil {
		usd += *d.Upstream
	}
	if usd < 0 {
		return events.Amount{}
	}
	return events.USD(usd)
}

func firstKnown(counts ...tokenCount) events.Count {
	for _, c := range counts {
		if c.Known {
			return c.Count
		}
	}
	return events.Count{}
}

// tokenCount reads a count as it comes: null, or anything that is no number from 0 on, was not reported.
type tokenCount struct{ events.Count }

// UnmarshalJSONFrom reads any value.
func (t *tokenCount) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil || v.Kind() != jsontext.KindNumber {
		return err
	}
	if f, err := strconv.ParseFloat(string(v), 64); err == nil && f >= 0 && f < 1<<53 {
		t.Count = events.Tokens(int64(f))
	}
	return nil
}

// MarshalJSONTo writes the number.
func (t tokenCount) MarshalJSONTo(enc *jsontext.Encoder) error { return t.Count.MarshalJSONTo(enc) }
