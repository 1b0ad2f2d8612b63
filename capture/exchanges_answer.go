package capture

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// answer is what a provider answered, whatever its API.
type answer struct {
	id, model, finish, diagnosis string
	usage                        Usage
	steps                        steps
	// created and completed are the provider's own times, to the second; zero where it gives none.
	created, completed time.Time
	// errorType is set where the answer is an error, cut where a stream ended before the answer did.
	errorType string
	cut       bool
	// known says that there was an answer that could be read.
	known bool
	// raw is the answer where it is one object, or a list of them.
	raw jsontext.Value
}

// status says how the request ended.
func (a *answer) status(http int64) events.RequestStatus {
	switch {
	case a.errorType != "" || http >= 400:
		return events.StatusError
	case a.cut:
		return events.StatusAborted
	}
	return events.StatusOK
}

// answerJSON has the members of all providers' answers.
type answerJSON struct {
	ID         string         `json:"id"`
	Object     string         `json:"object"`
	Type       string         `json:"type"`
	Role       string         `json:"role"`
	Model      string         `json:"model"`
	Name       string         `json:"name"`
	StopReason string         `json:"stop_reason"`
	Content    jsontext.Value `json:"content"`
	Usage      jsontext.Value `json:"usage"`
	Error      jsontext.Value `json:"error"`

	Diagnostics jsontext.Value `json:"diagnostics"`

	Choices   []chatChoice   `json:"choices"`
	Created   float64        `json:"created"`
	CreatedAt float64        `json:"created_at"`
	Completed float64        `json:"completed_at"`
	Output    jsontext.Value `json:"output"`
	Status    string         `json:"status"`

	Incomplete       jsontext.Value `json:"incomplete_details"`
	CacheDiagnostics jsontext.Value `json:"prompt_cache_diagnostics"`

	Candidates    []geminiCandidate `json:"candidates"`
	UsageMetadata jsontext.Value    `json:"usageMetadata"`
	ModelVersion  string            `json:"modelVersion"`
	ResponseID    string            `json:"responseId"`

	BedrockStop string `json:"stopReason"`
}

type chatChoice struct {
	Index        int            `json:"index"`
	FinishReason string         `json:"finish_reason"`
	Message      jsontext.Value `json:"message"`
	Delta        jsontext.Value `json:"delta"`
}

type geminiCandidate struct {
	Content      jsontext.Value `json:"content"`
	FinishReason string         `json:"finishReason"`
}

// readAnswer reads an answer: an object, the list of objects that Gemini streams, or text that holds one of these or an event
// stream. An answer that is missing or can't be read is not known.
func readAnswer(raw jsontext.Value) answer {
	switch {
	case isObject(raw):
		return objectAnswer(raw)
	case isArray(raw):
		var chunks []jsontext.Value
		elements(raw, func(v jsontext.Value) { chunks = append(chunks, v) })
		a := streamAnswer(chunks)
		a.raw = raw
		return a
	}
	text := strings.TrimSpace(stringOf(raw))
	if v := jsontext.Value(text); (isObject(v) || isArray(v)) && v.IsValid(lenient) {
		return readAnswer(v)
	}
	return streamAnswer(streamData([]byte(text)))
}

// objectAnswer reads an answer that is one object.
func objectAnswer(raw jsontext.Value) answer {
	var j answerJSON
	if decodeLenient(raw, &j) != nil {
		return answer{}
	}
	a := answer{raw: raw, id: j.ID, model: j.Model, known: true, created: unixTime(max(j.Created, j.CreatedAt)), completed: unixTime(j.Completed)}
	a.usage = ReadUsage(either(j.Usage, j.UsageMetadata))
	a.errorType = errorType(j.Error)
	switch {
	case len(j.Candidates) > 0 || j.UsageMetadata != nil:
		a.gemini(&j)
	case j.Choices != nil:
		a.chat(&j)
	case isArray(j.Output):
		a.responses(&j)
	case isObject(j.Output):
		a.finish = j.BedrockStop
		a.steps.message(member(j.Output, "message"))
	default:
		a.anthropic(&j)
	}
	return a
}

func (a *answer) anthropic(j *answerJSON) {
	a.finish = j.StopReason
	a.diagnosis = stringOf(member(member(j.Diagnostics, "cache_miss_reason"), "type"))
	elements(j.Content, a.steps.part)
	if j.Type == "error" && a.errorType == "" {
		a.errorType = "error"
	}
}

func (a *answer) chat(j *answerJSON) {
	for _, c := range j.Choices {
		if a.finish == "" {
			a.finish = c.FinishReason
		}
		a.steps.message(c.Message)
	}
}

func (a *answer) responses(j *answerJSON) {
	a.finish = j.Status
	if r := stringOf(member(j.Incomplete, "reason")); r != "" {
		a.finish = r
	}
	if j.Status == "failed" && a.errorType == "" {
		a.errorType = "failed"
	}
	a.cut = j.Status == "cancelled" || j.Status == "in_progress"
	a.diagnosis = diagnosisOf(j.CacheDiagnostics)
	elements(j.Output, func(v jsontext.Value) { a.steps.message(v) })
}

// diagnosisOf returns OpenAI's reason for a cache miss.
func diagnosisOf(raw jsontext.Value) string {
	for _, name := range []string{"reason", "cache_miss_reason", "type"} {
		v := member(raw, name)
		if s := stringOf(v); s != "" {
			return s
		}
		if s := stringOf(member(v, "type")); s != "" {
			return s
		}
	}
	return ""
}

func (a *answer) gemini(j *answerJSON) {
	a.id, a.model = j.ResponseID, j.ModelVersion
	for _, c := range j.Candidates {
		if c.FinishReason != "" {
			a.finish = c.FinishReason
		}
		a.steps.message(c.Content)
	}
	if strings.HasPrefix(j.Name, "cachedContents/") {
		a.cacheMade(j)
	}
}

// cacheMade is Gemini's answer to the making of an explicit cache: all tokens were written to it.
func (a *answer) cacheMade(j *answerJSON) {
	a.id, a.model, a.finish = j.Name, strings.TrimPrefix(j.Model, "models/"), "cached"
	var total tokenCount
	if decodeLenient(member(j.UsageMetadata, "totalTokenCount"), &total) == nil && total.Known {
		zero := events.Tokens(0)
		a.usage = Usage{UncachedInputTokens: zero, CacheReadInputTokens: zero, CacheWrite5mInputTokens: total.Count, OutputTokens: zero}
	}
}

// errorType names an error by its type, code or status; "error" where it has none of them.
func errorType(raw jsontext.Value) string {
	if !isObject(raw) {
		if s := stringOf(raw); s != "" {
			return "error"
		}
		return ""
	}
	for _, name := range []string{"type", "code", "status"} {
		v := member(raw, name)
		if s := stringOf(v); s != "" {
			return s
		}
		if v.Kind() == jsontext.KindNumber {
			return string(v)
		}
	}
	return "error"
}

func unixTime(seconds float64) time.Time {
	if seconds <= 0 || seconds > 1e11 {
		return time.Time{}
	}
	return time.UnixMilli(int64(seconds * 1000)).UTC()
}
