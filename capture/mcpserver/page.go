package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// pager takes page after page.
type pager struct {
	cfg     Config
	conn    *tapped
	ask     func(ctx context.Context, cursor string) error
	listing Listing
	// seen has the names of the tools.
	seen map[string]bool
}

// pageJSON holds what a page has, unread.
type pageJSON struct {
	Tools      jsontext.Value `json:"tools"`
	NextCursor jsontext.Value `json:"nextCursor"`
}

// all takes all pages.
func (p *pager) all(ctx context.Context) error {
	p.seen = map[string]bool{}
	cursors := map[string]bool{"": true}
	for cursor := ""; ; {
		next, err := p.page(ctx, cursor)
		if err != nil {
			return fmt.Errorf("list tools, page %d: %w", p.listing.Pages, err)
		}
		if next == "" {
			return nil
		}
		if cursors[next] {
			return fmt.Errorf("list tools, page %d: %w: its cursor leads back to a page that was read", p.listing.Pages, ErrServer)
		}
		cursors[next] = true
		cursor = next
	}
}

// page takes one page and returns the cursor of the next.
func (p *pager) page(ctx context.Context, cursor string) (string, error) {
	l := &p.listing
	if l.Pages++; l.Pages > p.cfg.MaxPages {
		return "", fmt.Errorf("%w: more than %d pages", ErrServer, p.cfg.MaxPages)
	}
	err := p.ask(ctx, cursor)
	raw := jsontext.Value(p.conn.take())
	if raw == nil {
		if err == nil {
			err = errors.New("the answer has no result")
		}
		return "", fmt.Errorf("%w: %w", ErrServer, err)
	}
	if l.Bytes += int64(len(raw)); l.Bytes > p.cfg.MaxBytes {
		return "", fmt.Errorf("%w: more than %d bytes of tools", ErrServer, p.cfg.MaxBytes)
	}
	return p.read(ctx, raw)
}

// read reads a page as it came.
func (p *pager) read(ctx context.Context, raw jsontext.Value) (string, error) {
	lenient := json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var page pageJSON
	if err := json.Unmarshal(raw, &page, lenient); err != nil {
		return "", fmt.Errorf("%w: the result is not an object", ErrServer)
	}
	var tools []jsontext.Value
	if page.Tools.Kind() != jsontext.KindBeginArray || json.Unmarshal(page.Tools, &tools, lenient) != nil {
		return "", fmt.Errorf("%w: the result has no list of tools", ErrServer)
	}
	for i, definition := range tools {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err := p.tool(definition, i+1); err != nil {
			return "", err
		}
	}
	if len(page.NextCursor) == 0 || page.NextCursor.Kind() == jsontext.KindNull {
		return "", nil
	}
	var next string
	if err := json.Unmarshal(page.NextCursor, &next); err != nil {
		return "", fmt.Errorf("%w: the cursor of the next page is no string", ErrServer)
	}
	return next, nil
}

// tool takes one tool; what is wrong with it alone is a problem of the listing.
func (p *pager) tool(definition jsontext.Value, index int) error {
	l := &p.listing
	t, problem := p.check(definition)
	if problem != "" {
		l.Problems = append(l.Problems, Problem{Page: l.Pages, Index: index, Tool: t.Name, Reason: problem})
	}
	if t.Digests == (events.ToolDigests{}) {
		return nil
	}
	if len(l.Tools) == p.cfg.MaxTools {
		return fmt.Errorf("%w: more than %d tools", ErrServer, p.cfg.MaxTools)
	}
	p.seen[t.Name] = true
	l.Tools = append(l.Tools, t)
	return nil
}

// redacted is a URL without its password and query.
func redacted(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "a URL"
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}
