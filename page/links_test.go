package page_test

import (
	"context"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tooltrail/tooltrail/page"
	"github.com/tooltrail/tooltrail/panels"
)

const (
	// linkTabs is how many tabs of the browser open links beside each other.
	linkTabs = 2
	// linksOfKind is how many links of one kind are opened, unless TOOLTRAIL_EVERY_LINK is 1: all take some minutes (make links).
	linksOfKind = 3
)

// remembered answers a query that it was asked before without the database: most links show the same rows in another order.
type remembered struct {
	page.Database
	mu  sync.Mutex
	all map[string]page.Answer
}

func (r *remembered) Rows(ctx context.Context, query string) (page.Answer, error) {
	r.mu.Lock()
	a, ok := r.all[query]
	r.mu.Unlock()
	if ok {
		return page.Answer{Columns: a.Columns, Rows: slices.Clone(a.Rows)}, nil
	}
	a, err := r.Database.Rows(ctx, query)
	if err == nil {
		r.mu.Lock()
		r.all[query] = a
		r.mu.Unlock()
	}
	return a, err
}

// TestEveryLinkOpensWithoutAnError follows the links of each view, of the findings and of the runbooks: some of each kind in a real browser, or
// all, and those that only sort a table in another way, of which the browser opens one a table, as a browser would ask for them.
func TestEveryLinkOpensWithoutAnError(t *testing.T) {
	t.Parallel()
	s := openSample(t)
	from := s.sources()
	from.Database = &remembered{Database: from.Database, all: map[string]page.Answer{}}
	b := serve(t, from, nil)
	w := openWindow(t)
	first := []string{"/", "/runbook", "/runbook/DriftOver20", "/findings", "/findings/" + s.report.Findings[0].Fingerprint}
	for _, v := range panels.Views() {
		first = append(first, "/"+v.ID+over(s.whole))
	}
	found := map[string]bool{}
	for _, at := range first {
		w.openWell(b.url + at)
		for _, link := range w.links(b.url) {
			found[strings.TrimPrefix(link, b.url)] = true
		}
	}
	opened, asked := shareLinks(slices.Sorted(maps.Keys(found)))
	if len(opened) < 200 || len(asked) < 200 {
		t.Errorf("%d links to open and %d to ask for are few", len(opened), len(asked))
	}
	if os.Getenv("TOOLTRAIL_EVERY_LINK") != "1" {
		opened = someOfEachKind(opened)
	}
	t.Logf("%d links: %d opened, %d asked for", len(found), len(opened), len(asked))
	t.Run("followed", func(t *testing.T) {
		for i := range linkTabs {
			t.Run(fmt.Sprint("tab ", i), func(t *testing.T) {
				t.Parallel()
				tab := w.openTab(t)
				for j := i; j < len(opened); j += linkTabs {
					tab.openWell(b.url + opened[j])
				}
			})
		}
		t.Run("asked for", func(t *testing.T) {
			t.Parallel()
			for _, at := range asked {
				b.isThere(t, at)
			}
		})
	})
}

// shareLinks returns the links that a browser opens, and those that are only asked for: files, and all but the first that sort a table.
func shareLinks(all []string) (opened, asked []string) {
	sorted := map[string]bool{}
	for _, at := range all {
		u, err := url.Parse(at)
		if err != nil {
			opened = append(opened, at) // and it fails
			continue
		}
		table, _, sorts := strings.Cut(u.Query().Get("sort"), ":")
		if strings.HasPrefix(u.Path, "/assets/") || sorts && sorted[u.Path+table] {
			asked = append(asked, at)
			continue
		}
		if sorts {
			sorted[u.Path+table] = true
		}
		opened = append(opened, at)
	}
	return opened, asked
}

// kindOf is what a link leads to, without the values that it is narrowed to.
func kindOf(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return at
	}
	path := u.Path
	if parts := strings.SplitN(path, "/", 4); len(parts) > 2 {
		path = "/" + parts[1] + "/*"
	}
	keys := []string{path}
	for _, key := range []string{"agent", "model", "server", "tool", "conversation", "sort", "last"} {
		if u.Query().Has(key) {
			keys = append(keys, key)
		}
	}
	return strings.Join(keys, " ")
}

// someOfEachKind leaves out links of which enough others are there.
func someOfEachKind(all []string) []string {
	seen := map[string]int{}
	return slices.DeleteFunc(all, func(at string) bool {
		seen[kindOf(at)]++
		return seen[kindOf(at)] > linksOfKind
	})
}

// isThere fails the test where a link leads to no page, to one with a panel that has no answer, or to a place of it that is not there.
func (b browser) isThere(t *testing.T, link string) {
	t.Helper()
	path, place, _ := strings.Cut(link, "#")
	status, text, _ := b.get(path)
	if status != http.StatusOK || strings.Contains(text, `class="failed"`) {
		t.Errorf("%s: %d, or a panel without an answer", link, status)
	}
	if id, err := url.PathUnescape(place); err != nil || place != "" && !strings.Contains(text, ` id="`+html.EscapeString(id)+`"`) {
		t.Errorf("%s: no such place on the page", link)
	}
}

// openWell opens a page, which must be there with all of its panels and leave the browser quiet.
func (w *window) openWell(at string) {
	w.t.Helper()
	w.open(at)
	w.quiet(at)
	wrong := eval[string](w, `(() => {
		const title = document.querySelector("h1").textContent;
		if (title === "Not found" || title.includes("wrong") || title.includes("did not answer")) return title;
		const failed = document.querySelector(".failed");
		if (failed) return failed.textContent;
		const place = decodeURIComponent(location.hash.slice(1));
		return place && !document.getElementById(place) ? "no such place on the page" : "";
	})()`)
	if wrong != "" {
		w.t.Errorf("%s: %s", at, wrong)
	}
}
