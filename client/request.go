package client

import (
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// Usage is what a request used, in one normal form: the inputs do not overlap, and a count that was not reported is the zero
// [events.Count], not 0. Anthropic's input_tokens leaves the cache out; OpenAI's prompt_tokens includes what was read from it.
type Usage struct {
	UncachedInputTokens     events.Count
	CacheReadInputTokens    events.Count
	CacheWrite5mInputTokens events.Count
	CacheWrite1hInputTokens events.Count
	OutputTokens            events.Count
}

// Request is an LLM request under way.
type Request struct {
	// RequestPrefix is the event in the making. The agent may set what it learns from the answer: ResponseID, ResponseModel,
	// FinishReason, HTTPStatus, ProviderDiagnosis, StatedCostUSD. It must not touch it after End or Fail.
	RequestPrefix *events.RequestPrefix

	client *Client
	ended  atomic.Bool
}

// RequestStart begins an LLM request: body is its raw JSON as sent to the provider (empty: the body tells which). Its tools,
// system blocks, messages and parameters are digested in one pass; nothing of the body is kept but the arrays of tools of the last
// requests (see [prefix.Splitter]) and the definitions of tools that were not sent before. A body that can't be read makes an event without digests. Where the request has no id it gets one.
func (c *Client) RequestStart(about events.Context, provider string, body []byte) *Request {
	p := &events.RequestPrefix{Context: about, StartTime: time.Now()}
	if p.RequestID == "" {
		p.RequestID = uuid.NewString()
	}
	r := &Request{RequestPrefix: p, client: c}
	cfg := c.config()
	req, err := c.split(provider, body)
	if err != nil {
		if cfg.Log != nil {
			cfg.Log.Debug("request body can not be read", slog.Any("error", err))
		}
		return r
	}
	p.Tools, p.System, p.Params, p.Breakpoints = req.Tools, req.System, req.Params, req.Breakpoints
	// What is kept at the provider (Gemini's cached content, an earlier answer of OpenAI's) is not seen here.
	p.ToolsKnown, p.SystemKnown, p.MessagesKnown = req.CachedContent == "", req.CachedContent == "", req.PreviousResponseID == ""
	var messages prefix.Messages
	for _, d := range req.Messages {
		messages.Append(d)
	}
	p.Messages = messages.List()
	if p.ProviderName == "" {
		p.ProviderName = req.Provider
	}
	if p.RequestModel == "" {
		p.RequestModel = req.Model
	}
	if len(req.RawTools) > 0 {
		p.RosterDigest = c.Roster(events.ToolRoster{Context: p.Context}, req.RawTools...)
	}
	return r
}

// split takes a body apart, and compares its tools with those of earlier requests.
func (c *Client) split(provider string, body []byte) (*prefix.Request, error) {
	if c == nil || c.splitter == nil {
		return prefix.Split(provider, body, c.config().Digester)
	}
	return c.splitter.Split(provider, body)
}

// End ends a request that was answered and emits its event. Ending again does nothing.
func (r *Request) End(u Usage) { r.end(events.StatusOK, "", u) }

// Fail ends a request that was aborted or failed; errorType is a short name of what went wrong, without values.
func (r *Request) Fail(status events.RequestStatus, errorType string) {
	r.end(status, errorType, Usage{})
}

func (r *Request) end(status events.RequestStatus, errorType string, u Usage) {
	if r.ended.Swap(true) {
		return
	}
	p := r.RequestPrefix
	p.Status, p.ErrorType, p.EndTime = status, errorType, time.Now()
	p.UncachedInputTokens, p.CacheReadInputTokens = u.UncachedInputTokens, u.CacheReadInputTokens
	p.CacheWrite5mInputTokens, p.CacheWrite1hInputTokens = u.CacheWrite5mInputTokens, u.CacheWrite1hInputTokens
	p.OutputTokens = u.OutputTokens
	r.client.Emit(&events.Event{Time: p.StartTime, Data: p})
}
