package mcpserver_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tooltrail/tooltrail/capture/mcpserver"
)

func webConfig(url string) mcpserver.Config {
	cfg := mcpserver.DefaultConfig()
	cfg.URL = url
	return cfg
}

// recorder keeps what the client asked.
type recorder struct {
	http.Handler
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
}

// ServeHTTP notes the request and hands it on.
func (r *recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	req.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	r.requests, r.bodies = append(r.requests, req), append(r.bodies, string(body))
	r.mu.Unlock()
	r.Handler.ServeHTTP(w, req)
}

func listen(t *testing.T, h http.Handler) (*recorder, string) {
	t.Helper()
	r := &recorder{Handler: h}
	s := httptest.NewServer(r)
	t.Cleanup(s.Close)
	return r, s.URL
}

func TestToolsAreListedOverStreamableHTTP(t *testing.T) {
	for _, o := range []mcp.StreamableHTTPOptions{{}, {JSONResponse: true}, {Stateless: true}} {
		s := serve(newServer(), 2)
		r, url := listen(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &o))
		cfg := webConfig(url + "/mcp?x=1")
		cfg.Header = http.Header{"Authorization": {"Bearer t"}}
		l, err := mcpserver.List(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		sameNames(t, l, serverTools...)
		if l.Server != "shop" || l.Release != "1.2.0" || l.Transport != "http" || l.Pages != 3 || len(l.Problems) != 0 {
			t.Errorf("have %+v", l)
		}
		r.check(t, l.Protocol, !o.Stateless)
	}
}

// check looks at what was sent: the caller's header and, after the greeting, the protocol; the session's end at last.
func (r *recorder) check(t *testing.T, protocol string, sessions bool) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, req := range r.requests {
		if req.Header.Get("Authorization") != "Bearer t" {
			t.Errorf("request %d has no authorization", i)
		}
		if want := protocol; i > 0 && req.Header.Get("Mcp-Protocol-Version") != want {
			t.Errorf("request %d (%s %s): protocol %q, want %q", i, req.Method, r.bodies[i], req.Header.Get("Mcp-Protocol-Version"), want)
		}
	}
	if last := r.requests[len(r.requests)-1]; sessions && last.Method != http.MethodDelete {
		t.Errorf("the session was not ended: %s", last.Method)
	}
}

func TestToolsAreListedOverTheOlderHTTPWithEvents(t *testing.T) {
	s := serve(newServer(), 2)
	_, url := listen(t, mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, nil))
	l, err := mcpserver.List(t.Context(), webConfig(url))
	if err != nil {
		t.Fatal(err)
	}
	sameNames(t, l, serverTools...)
	if l.Transport != "sse" || l.Pages != 3 {
		t.Errorf("have %+v", l)
	}
}

// scripted answers requests by streamable HTTP with given texts.
func scripted(result string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		raw, _ := io.ReadAll(req.Body)
		var id string
		if _, after, ok := strings.Cut(string(raw), `"id":`); ok {
			id = after[:strings.IndexAny(after, ",}")]
		}
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.Contains(string(raw), `"initialize"`):
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"3"}}}`, id)
		case id == "":
			w.WriteHeader(http.StatusAccepted)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
		}
	})
}

func TestDefinitionsOverHTTPAreInTheBytesThatTheServerSent(t *testing.T) {
	_, url := listen(t, scripted(oddList))
	l, err := mcpserver.List(t.Context(), webConfig(url))
	if err != nil {
		t.Fatal(err)
	}
	sameNames(t, l, "odd/name")
	if got := string(l.Tools[0].Definition); got != oddDefinition {
		t.Errorf("have\n%s\nwant\n%s", got, oddDefinition)
	}
}

func TestWhatAServerDoesWrongOverHTTPIsSaid(t *testing.T) {
	endless := func(kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Type", kind)
			for req.Context().Err() == nil {
				if _, err := io.WriteString(w, "data: "+strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		}
	}
	for name, c := range map[string]struct {
		h    http.Handler
		want []string
	}{
		"not found":    {http.NotFoundHandler(), []string{"HTTP status 404", "by the older HTTP with events"}},
		"unauthorized": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }), []string{"HTTP status 401", "Unauthorized"}},
		"page": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		}), []string{"begin session"}},
		"not JSON": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, "<html>")
		}), []string{"begin session"}},
		"hangs":          {http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() }), []string{"no answer in time: 2s"}},
		"endless":        {endless("application/json"), []string{"longer than an answer may be"}},
		"endless events": {endless("text/event-stream"), []string{"read tools of http://"}},
		"no list":        {scripted(`{"tools":null}`), []string{"list tools, page 1: the server misbehaved: the result has no list of tools"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, url := listen(t, c.h)
			cfg := webConfig(url + "/mcp?token=secret")
			cfg.Timeout, cfg.MaxAnswer = 2*time.Second, 1<<20
			l, err := mcpserver.List(t.Context(), cfg)
			if err == nil {
				t.Fatalf("have %+v", l)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("%q does not say %q", err, w)
				}
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("%q tells a secret", err)
			}
		})
	}
}

func TestHeadersGoToTheServersOwnHostAlone(t *testing.T) {
	elsewhere, elsewhereURL := listen(t, http.NotFoundHandler())
	_, url := listen(t, http.RedirectHandler(elsewhereURL+"/stolen", http.StatusTemporaryRedirect))
	cfg := webConfig(url)
	cfg.Header = http.Header{"X-Api-Key": {"secret"}}
	if l, err := mcpserver.List(t.Context(), cfg); err == nil {
		t.Fatalf("have %+v", l)
	}
	elsewhere.mu.Lock()
	defer elsewhere.mu.Unlock()
	if len(elsewhere.requests) == 0 {
		t.Fatal("the redirect was not followed: the test shows nothing")
	}
	for _, req := range elsewhere.requests {
		if req.Header.Get("X-Api-Key") != "" {
			t.Error("another host got the key")
		}
	}
}

func TestListingOverHTTPEndsWithTheContext(t *testing.T) {
	asked := make(chan struct{}, 8)
	_, url := listen(t, http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) { asked <- struct{}{}; <-req.Context().Done() }))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := mcpserver.List(ctx, webConfig(url)); !errors.Is(err, context.Canceled) {
		t.Errorf("have %v", err)
	}
}

func TestSettingsThatCannotBeAreRefused(t *testing.T) {
	for name, change := range map[string]func(*mcpserver.Config){
		"want a command or a URL":             func(c *mcpserver.Config) { c.URL = "" },
		"want one of them":                    func(c *mcpserver.Config) { c.Command = []string{"a"} },
		"the command has no name":             func(c *mcpserver.Config) { c.URL, c.Command = "", []string{""} },
		"want a URL such as":                  func(c *mcpserver.Config) { c.URL = "ftp://host" },
		"limit of timeout must be positive":   func(c *mcpserver.Config) { c.Timeout = 0 },
		"limit of pages must be positive":     func(c *mcpserver.Config) { c.MaxPages = -1 },
		"limit of bytes of an answer must be": func(c *mcpserver.Config) { c.MaxAnswer = 0 },
	} {
		cfg := webConfig("http://host/mcp")
		change(&cfg)
		if _, err := mcpserver.List(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := webConfig("http://host").Validate(); err != nil {
		t.Error(err)
	}
}
