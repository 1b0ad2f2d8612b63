package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// protocolHeader says the agreed version on each request after the first answer. The SDK would set it if it knew the connection.
const protocolHeader = "Mcp-Protocol-Version"

// web sends the requests of one session: with the caller's headers to the URL's own host alone, and with answers bounded.
type web struct {
	base   http.RoundTripper
	host   string
	scheme string
	header http.Header
	limit  int64
	tap    *tap
	// refused is the last status that was no success.
	refused atomic.Int64
}

func newWeb(cfg Config, t *tap) *web {
	u, _ := url.Parse(cfg.URL) // checked by Validate
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxResponseHeaderBytes = maxHeaderBytes
	return &web{base: base, host: u.Host, scheme: u.Scheme, header: cfg.Header, limit: cfg.MaxAnswer, tap: t}
}

// maxHeaderBytes is how long the head of an answer may be.
const maxHeaderBytes = 256 << 10

// RoundTrip sends one request.
func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if req.URL.Host == w.host && req.URL.Scheme == w.scheme {
		for name, values := range w.header {
			req.Header[name] = values
		}
	}
	if conn := w.tap.conn; conn != nil && req.Header.Get(protocolHeader) == "" && conn.agreed() != "" {
		req.Header.Set(protocolHeader, conn.agreed())
	}
	resp, err := w.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		w.refused.Store(int64(resp.StatusCode))
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: w.limit}
	return resp, nil
}

func (w *web) close() { w.base.(*http.Transport).CloseIdleConnections() }

var errTooLong = errors.New("longer than an answer may be")

// bounded is a body that ends with an error where it gets too long.
type bounded struct {
	io.ReadCloser
	left int64
}

// Read reads no more than is allowed.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	return n, err
}

// maxReconnects is how often a broken stream of events is taken up again.
const maxReconnects = 2

// listHTTP lists by streamable HTTP, and where the server does not know that, by the older way.
func listHTTP(ctx context.Context, cfg Config) (*Listing, error) {
	l, status, err := listWeb(ctx, cfg, func(c *http.Client) mcp.Transport {
		return &mcp.StreamableClientTransport{
			Endpoint: cfg.URL, HTTPClient: c, DisableStandaloneSSE: true, MaxRetries: maxReconnects, MaxEventSize: int(cfg.MaxAnswer),
		}
	})
	if err == nil {
		l.Transport = "http"
		return l, nil
	}
	if status != http.StatusNotFound && status != http.StatusMethodNotAllowed && status != http.StatusBadRequest {
		return nil, sayStatus(err, status)
	}
	older, again, failure := listWeb(ctx, cfg, func(c *http.Client) mcp.Transport {
		return &mcp.SSEClientTransport{Endpoint: cfg.URL, HTTPClient: c, MaxEventSize: int(cfg.MaxAnswer)}
	})
	if failure != nil {
		return nil, fmt.Errorf("%w; by the older HTTP with events: %w", sayStatus(err, status), sayStatus(failure, again))
	}
	older.Transport = "sse"
	return older, nil
}

func sayStatus(err error, status int) error {
	if status == 0 {
		return err
	}
	return fmt.Errorf("%w (HTTP status %d)", err, status)
}

// listWeb lists over one of the transports. The status is the last refusal.
func listWeb(ctx context.Context, cfg Config, over func(*http.Client) mcp.Transport) (*Listing, int, error) {
	var status int
	l, err := negotiate(func(protocol string) (*Listing, error) {
		t := &tap{}
		w := newWeb(cfg, t)
		defer w.close()
		t.Transport = over(&http.Client{Transport: w})
		l, err := session(ctx, cfg, t, protocol)
		status = int(w.refused.Load())
		return l, err
	})
	return l, status, err
}
