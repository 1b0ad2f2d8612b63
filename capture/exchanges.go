package capture

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/prefix"
)

// exchangesFormat is logged requests to model providers with their answers, one exchange or one conversation a line.
func exchangesFormat() Format {
	return Format{
		Name:  "exchanges",
		About: "logged provider requests and answers, one exchange or one conversation a line",
		Sniff: sniffExchanges,
		Read:  readExchanges,
	}
}

func sniffExchanges(head []byte) bool {
	for _, o := range headObjects(head, 5) {
		if o.Has("exchanges") {
			return true
		}
		for _, name := range []string{"request", "request_body"} {
			v, ok := o[name]
			if ok && (v == nil || o.Has("response") || o.Has("response_body") || o.Has("provider") || o.Has("path")) {
				return true
			}
		}
	}
	return false
}

// Bounds of what is remembered while a file is read. A conversation that is forgotten and goes on is followed anew: a request
// carries its whole history. Only calls that wait for a result, and the count of turns, are lost with it.
const (
	maxConversations = 16384 // a kilobyte each
	maxMinds         = 32    // some megabytes each
	maxHeads         = 65536 // a hundred bytes each
	maxToolLists     = 64
)

// exchangeReader turns exchanges into events.
type exchangeReader struct {
	ctx  context.Context
	src  *Source
	emit Emit
	line int
	// count counts exchanges, for times where there are none.
	count int64
	// sent remembers the definitions that were sent.
	sent  *recentSet
	tools *lru[string, *offeredTools]
	convs *lru[string, *exchangeConversation]
	minds *lru[string, *mind]
	// heads finds a conversation by the messages that its last request had, answers by the id of its last answer.
	heads, answers *lru[string, string]
}

func readExchanges(ctx context.Context, src *Source, emit Emit) error {
	r := newExchangeReader(ctx, src, emit)
	err := src.Lines(func(n int, line []byte) error {
		r.line = n
		return r.readLine(line)
	})
	if err != nil {
		return err
	}
	return r.convs.clear()
}

func newExchangeReader(ctx context.Context, src *Source, emit Emit) *exchangeReader {
	r := &exchangeReader{ctx: ctx, src: src, emit: emit, sent: newRecentSet(maxDefinitions)}
	r.tools = newLRU[string, *offeredTools](maxToolLists, nil)
	r.convs = newLRU[string](maxConversations, r.end)
	r.minds = newLRU[string, *mind](maxMinds, nil)
	r.heads = newLRU[string, string](maxHeads, nil)
	r.answers = newLRU[string, string](maxHeads, nil)
	return r
}

// readLine reads a conversation, or one exchange.
func (r *exchangeReader) readLine(line []byte) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	var whole exchange
	var list jsontext.Value
	ok := members(line, func(name string, v jsontext.Value) {
		if name == "exchanges" {
			list = v
			return
		}
		whole.member(name, v)
	})
	switch {
	case !ok:
		return badLine("not a JSON object")
	case list == nil:
		return r.exchange(&whole)
	case !isArray(list):
		return badLine("exchanges is not a list")
	}
	return r.conversation(&whole, list)
}

// conversation reads the exchanges of one conversation. One that can't be read does not spoil the others.
func (r *exchangeReader) conversation(whole *exchange, list jsontext.Value) error {
	var err error
	n := 0
	ok := elements(list, func(v jsontext.Value) {
		if err != nil {
			return
		}
		n++
		x := *whole
		if !members(v, x.member) {
			err = r.src.Problem(r.line, fmt.Sprintf("exchange %d: not a JSON object", n))
			return
		}
		if x.conversation == "" {
			x.conversation = fmt.Sprintf("line-%s", r.src.Options.Digester.Short(list)[:16])
		}
		if err = r.exchange(&x); err != nil {
			var bad *LineError
			if errors.As(err, &bad) {
				err = r.src.Problem(r.line, fmt.Sprintf("exchange %d: %s", n, bad.Reason))
			}
		}
	})
	if err == nil && !ok {
		return badLine("exchanges is not a list of JSON values")
	}
	return err
}

// notModelCalls are ends and parts of paths that don't ask a model for an answer.
var notModelCalls = []string{
	"/embeddings", ":embedcontent", ":batchembedcontents", "/moderations", "/files", "/count_tokens", ":counttokens", "/batches", "/audio/",
	"/images/", "/fine_tuning", "/rerank",
}

func asksModel(path string) bool {
	path, _, _ = strings.Cut(strings.ToLower(path), "?")
	for _, p := range notModelCalls {
		if strings.Contains(path, p) {
			return false
		}
	}
	return !strings.HasSuffix(path, "/models")
}

// exchange reads one exchange.
func (r *exchangeReader) exchange(x *exchange) error {
	if !asksModel(x.path) {
		return nil
	}
	body, err := x.requestBody()
	if err != nil {
		return err
	}
	provider := x.provider
	if provider == "" {
		provider = prefix.ProviderOfPath(x.path)
	}
	req, err := prefix.Split(provider, body, r.src.Options.Digester)
	if err != nil {
		return badLine("%s", err)
	}
	if len(req.Messages) == 0 && len(req.System) == 0 && req.PreviousResponseID == "" {
		return badLine("the request has no messages")
	}
	a := readAnswer(x.responseBody())
	r.count++
	return r.follow(x, body, req, &a)
}
