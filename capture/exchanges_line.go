package capture

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// exchange is one request and its answer as they were logged.
type exchange struct {
	conversation, provider, path string
	requestID, traceID, agent    string
	date, ended                  time.Time
	seconds                      float64
	status                       int64
	cost                         events.Amount
	request, response            jsontext.Value
}

// member takes one member of the log's own object. Logs name them differently.
func (x *exchange) member(name string, v jsontext.Value) {
	switch name {
	case "conversation", "conversation_id", "session_id", "session", "thread_id":
		x.conversation = stringOf(v)
	case "provider":
		x.provider = stringOf(v)
	case "path", "url", "endpoint", "uri":
		x.path = stringOf(v)
	case "request_id":
		x.requestID = stringOf(v)
	case "trace_id":
		x.traceID = stringOf(v)
	case "agent", "agent_name":
		x.agent = stringOf(v)
	case "date", "timestamp", "time", "start_time", "started_at":
		x.date = timeOf(v)
	case "end_time", "ended_at":
		x.ended = timeOf(v)
	case "duration_ms", "latency_ms":
		x.seconds = numberOf(v) / 1000
	case "duration", "duration_seconds":
		x.seconds = numberOf(v)
	case "status", "status_code":
		x.status = int64(numberOf(v))
	case "cost_usd", "response_cost":
		if usd := numberOf(v); usd > 0 {
			x.cost = events.USD(usd)
		}
	case "request", "request_body":
		x.request = v
	case "response", "response_body":
		x.response = v
	}
}

// requestBody returns the body of the request. A log may hold it as text, or in an object with the URL.
func (x *exchange) requestBody() (jsontext.Value, error) {
	body := x.request
	if isObject(body) && member(body, "body") != nil && (member(body, "url") != nil || member(body, "method") != nil) {
		if x.path == "" {
			x.path = stringOf(member(body, "url"))
		}
		body = member(body, "body")
	}
	if body.Kind() == jsontext.KindString {
		body = jsontext.Value(stringOf(body))
	}
	if !isObject(body) {
		return nil, badLine("the request is missing or not a JSON object")
	}
	return body, nil
}

// responseBody returns the body of the answer; nil where there is none.
func (x *exchange) responseBody() jsontext.Value {
	body := x.response
	if !isObject(body) || member(body, "body") == nil {
		return body
	}
	for _, name := range []string{"status", "status_code"} {
		if v := member(body, name); v.Kind() == jsontext.KindNumber && x.status == 0 {
			x.status = int64(numberOf(v))
		}
	}
	return member(body, "body")
}

// numberOf returns a number, or a string that holds one; 0 for anything else.
func numberOf(v jsontext.Value) float64 {
	text := string(v)
	if v.Kind() == jsontext.KindString {
		text = stringOf(v)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f < 0 || f > 1e15 {
		return 0
	}
	return f
}

// timeLayouts are the ways in which logs write times.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"}

// timeOf reads a time: RFC 3339, an HTTP date, or seconds or milliseconds since 1970. It is zero where v is none of these.
func timeOf(v jsontext.Value) time.Time {
	if v.Kind() == jsontext.KindNumber {
		seconds := numberOf(v)
		if seconds > 1e11 {
			seconds /= 1000
		}
		return unixTime(seconds)
	}
	text := strings.TrimSpace(stringOf(v))
	for _, layout := range timeLayouts {
		if t, err := time.Parse(layout, text); err == nil && t.Unix() > 0 {
			return t.UTC()
		}
	}
	if t, err := http.ParseTime(text); err == nil {
		return t.UTC()
	}
	return time.Time{}
}

// clock gives the exchanges of one conversation their times. Where a log has none, the provider's own second is taken if the
// conversation began with one; else times are made up that keep the order and lie so close that no cache could have expired.
type clock struct {
	last time.Time
	real bool
}

// tick is how far apart made-up times are.
const tick = 2 * time.Millisecond

// next returns the start of the next exchange: as logged, as the provider says, or made up from a start that is the file's.
func (c *clock) next(logged, provider, start time.Time) time.Time {
	first := c.last.IsZero()
	switch {
	case !logged.IsZero():
		c.last, c.real = logged, true
	case !provider.IsZero() && (first || c.real):
		c.real = true
		if !provider.After(c.last) {
			provider = c.last.Add(tick)
		}
		c.last = provider
	case first:
		c.last = start
	default:
		c.last = c.last.Add(tick)
	}
	return c.last
}

// end returns when an exchange ended; zero where nothing says.
func (c *clock) end(x *exchange, a *answer) time.Time {
	switch {
	case !c.real:
		return time.Time{}
	case !x.ended.IsZero():
		return x.ended
	case x.seconds > 0 && !x.date.IsZero():
		return x.date.Add(time.Duration(x.seconds * float64(time.Second)))
	case a.completed.After(c.last):
		return a.completed
	}
	return time.Time{}
}
