package page_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/tooltrail/tooltrail/docs"
	"github.com/tooltrail/tooltrail/page"
	"github.com/tooltrail/tooltrail/panels"
)

const (
	// linkWindows is how many windows open links beside each other.
	linkWindows = 3
	// linksOfKind is how many links of one kind are opened, unless TOOLTRAIL_EVERY_LINK is 1: all take some minutes (make links).
	linksOfKind = 3
)

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

// TestEveryLinkOpensWithoutAnError opens the links of each view, of the findings and of the runbooks in a real browser.
func TestEveryLinkOpensWithoutAnError(t *testing.T) {
	s := openSample(t)
	b := serve(t, s.sources(), nil)
	found := map[string]bool{}
	w := openWindow(t)
	first := []string{b.url + "/", b.url + "/runbook", b.url + "/runbook/DriftOver20", b.url + "/findings", b.url + "/findings/" + s.report.Findings[0].Fingerprint}
	for _, v := range panels.Views() {
		first = append(first, b.url+"/"+v.ID+over(s.whole))
	}
	for _, at := range first {
		w.openWell(at)
		for _, link := range w.links(b.url) {
			found[link] = true
		}
	}
	maps.DeleteFunc(found, func(at string, _ bool) bool { return slices.Contains(first, at) })
	for at := range found {
		if path := strings.TrimPrefix(at, b.url); strings.HasPrefix(path, "/assets/") { // no page
			if status, _, _ := b.get(path); status != http.StatusOK {
				t.Errorf("%s: %d", at, status)
			}
			delete(found, at)
		}
	}
	all := slices.Sorted(maps.Keys(found))
	if len(all) < 500 {
		t.Errorf("%d links are few", len(all))
	}
	if n := len(all); os.Getenv("TOOLTRAIL_EVERY_LINK") != "1" {
		all = someOfEachKind(all)
		t.Logf("%d of %d links are opened", len(all), n)
	} else {
		t.Logf("all %d links are opened", n)
	}
	t.Run("windows", func(t *testing.T) {
		for i := range linkWindows {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				w := openWindow(t)
				for j := i; j < len(all); j += linkWindows {
					w.openWell(all[j])
				}
			})
		}
	})
}

// openWell opens a page, which must be there and leave the browser quiet.
func (w *window) openWell(at string) {
	w.t.Helper()
	w.open(at)
	w.quiet(at)
	if title := eval[string](w, `document.querySelector("h1").textContent`); title == "Not found" || strings.Contains(title, "wrong") {
		w.t.Errorf("%s: %s", at, title)
	}
}

// TestFromAnAlertToItsFixInFiveClicks: from the runbook of DriftOver20 to the tool, its models, the first wrong call and the fix.
func TestFromAnAlertToItsFixInFiveClicks(t *testing.T) {
	s := openSample(t)
	b := serve(t, s.sources(), nil)
	w := openWindow(t)
	w.open(b.url + "/runbook/DriftOver20")
	clicks := 0
	click := func(what, selector string) string {
		t.Helper()
		clicks++
		name := eval[string](w, `(() => { const a = document.querySelector(`+"`"+selector+"`"+`); return a ? a.href + " " + a.textContent : "" })()`)
		if name == "" {
			t.Fatalf("click %d, %s: there is no %s", clicks, what, selector)
		}
		eval[chromedp.Void](w, `document.documentElement.removeAttribute("data-ready")`)
		w.run(what, chromedp.Click(chromedp.CSS(selector)), chromedp.WaitReady(ready))
		at := w.at()
		w.quiet(at)
		t.Logf("click %d, %s: %s", clicks, what, strings.TrimPrefix(at, b.url))
		return at
	}
	at := click("the tool", `table[data-table="open"] tbody td:nth-child(2) a`)
	tool, err := url.Parse(at)
	if err != nil || tool.Path != "/drift" || tool.Query().Get("tool") == "" {
		t.Fatalf("the tool: %s, %v", at, err)
	}
	if at := click("the model", `table[data-table="drift_models"] tbody a`); !strings.Contains(at, "model=") || !strings.Contains(at, "tool=") {
		t.Errorf("the model: %s", at)
	}
	if at := click("the first wrong call", `table[data-table="drift_calls"] tbody td:last-child a`); !strings.Contains(at, "/conversation?") {
		t.Errorf("the first wrong call: %s", at)
	}
	wrong := eval[string](w, `document.querySelector('table[data-table="conversation_timeline"]').textContent`)
	if !strings.Contains(wrong, "old_version") && !strings.Contains(wrong, "validation_error") && !strings.Contains(wrong, "unknown_argument") && !strings.Contains(wrong, "silent_default") {
		t.Error("the timeline does not say which call was wrong")
	}
	click("back to the drift of this tool", `table[data-table="conversation_timeline"] tbody a[href*="tool=`+url.QueryEscape(tool.Query().Get("tool"))+`"]`)
	click("the fix", `table[data-table="drift_findings"] tbody tr:has(a[href$="/runbook/DriftOver20"]) td:nth-child(2) a`)
	fix := eval[string](w, `document.querySelector(".action").textContent`)
	t.Logf("the fix: %s", fix)
	if fix == "" || clicks > 5 {
		t.Errorf("no fix after %d clicks", clicks)
	}
}

// TestTablesSortAndFilterAndTimesAreTheReaders uses what only scripts do.
func TestTablesSortAndFilterAndTimesAreTheReaders(t *testing.T) {
	s := openSample(t)
	b := serve(t, s.sources(), nil)
	w := openWindow(t)
	w.open(b.url + "/drift" + over(s.whole))
	zone := eval[string](w, `document.querySelector("[data-zone]").textContent`)
	if !strings.Contains(zone, "St_Johns") {
		t.Errorf("times: %s", zone)
	}
	w.run("sort", chromedp.Click(chromedp.CSS(`table[data-table="drift_tools"] th[data-col="calls"] a`)))
	at := w.at()
	sorted := eval[string](w, `document.querySelector('table[data-table="drift_tools"] th[data-col="calls"]').getAttribute("aria-sort")`)
	if sorted != "descending" || !strings.Contains(at, "sort=drift_tools%3Acalls%3Adesc") {
		t.Errorf("sorted %s at %s", sorted, at)
	}
	calls := eval[[]float64](w, `Array.from(document.querySelectorAll('table[data-table="drift_tools"] tbody tr')).map(r => Number(r.cells[6].dataset.v))`)
	for i := 1; i < len(calls); i++ {
		if calls[i] > calls[i-1] {
			t.Errorf("calls %v are not sorted", calls)
			break
		}
	}
	w.run("filter", chromedp.SendKeys(chromedp.CSS(`#drift_tools .filter input`), "no such thing"))
	shown := eval[int](w, `Array.from(document.querySelectorAll('table[data-table="drift_tools"] tbody tr')).filter(r => !r.hidden).length`)
	if shown != 0 {
		t.Errorf("%d rows after a filter that none passes", shown)
	}
	w.run("theme", chromedp.Click(chromedp.CSS(`[data-theme-toggle]`)))
	theme := eval[string](w, `document.documentElement.getAttribute("data-theme")`)
	if theme != "dark" {
		t.Errorf("theme %q", theme)
	}
	w.quiet("drift")
}

// sound finds what a screen reader or a keyboard would miss.
const sound = `(() => {
	const wrong = [];
	const seen = new Set();
	document.querySelectorAll("[id]").forEach(e => { if (seen.has(e.id)) wrong.push("two ids " + e.id); seen.add(e.id); });
	document.querySelectorAll("a, button").forEach(e => { if (!e.closest("[hidden]") && !(e.textContent.trim() || e.getAttribute("aria-label"))) wrong.push("no name: " + e.outerHTML.slice(0, 120)); });
	document.querySelectorAll("input:not([type=hidden]), select").forEach(e => { if (!e.closest("label")) wrong.push("no label: " + e.outerHTML.slice(0, 120)); });
	document.querySelectorAll("th:not([scope])").forEach(e => { if (!e.closest(".u-legend")) wrong.push("no scope: " + e.textContent); });
	document.querySelectorAll("[aria-labelledby]").forEach(e => { if (!document.getElementById(e.getAttribute("aria-labelledby"))) wrong.push("no label " + e.getAttribute("aria-labelledby")); });
	for (const s of ["main", "header", "nav[aria-label]", "footer", "a.skip", "h1"]) if (!document.querySelector(s)) wrong.push("no " + s);
	if (document.documentElement.scrollWidth > innerWidth + 1) wrong.push("wider than the window: " + document.documentElement.scrollWidth + " of " + innerWidth);
	document.querySelectorAll("[data-chart]:not([data-drawn])").forEach(e => { if (!e.closest("[hidden]")) wrong.push("not drawn: " + e.dataset.chart); });
	return wrong;
})()`

// TestEachViewFitsEachScreen takes a picture of each page at three widths, light and dark, and finds what does not fit. Pictures are left in
// TOOLTRAIL_SCREENSHOTS where it is set.
func TestEachViewFitsEachScreen(t *testing.T) {
	s := openSample(t)
	b := serve(t, s.sources(), nil)
	w := openWindow(t)
	folder := os.Getenv("TOOLTRAIL_SCREENSHOTS")
	if folder == "" {
		folder = t.TempDir()
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"findings": "/findings", "finding": "/findings/" + s.report.Findings[0].Fingerprint, "runbook": "/runbook/DriftOver20"}
	for _, v := range panels.Views() {
		all[v.ID] = "/" + v.ID + over(s.whole)
	}
	all[panels.Conversation] += "&conversation=" + url.QueryEscape(s.report.Prefix.Conversations[0].ID)
	for name, at := range all {
		w.run(name, chromedp.EmulateViewport(1280, 900))
		w.open(b.url + at)
		for _, width := range []int64{360, 1280, 3840} {
			for _, theme := range []string{"light", "dark"} {
				w.picture(folder, name, width, theme)
			}
		}
		w.quiet(name)
	}
}

// picture shows the page at a width in a theme, checks that it is sound, and keeps a picture.
func (w *window) picture(folder, name string, width int64, theme string) {
	w.t.Helper()
	height := map[int64]int64{360: 2400, 1280: 2000, 3840: 2160}[width]
	prefers := func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
		})
		return chromedp.Void{}, err
	}
	// Charts are drawn again a tenth of a second after the window has another size: what is waited for is their width.
	fits := `Array.from(document.querySelectorAll(".plot")).every(p => !p.clientWidth || !p.firstElementChild || Math.abs(p.firstElementChild.clientWidth - Math.max(p.clientWidth, 200)) < 2)`
	w.run(name, chromedp.EmulateViewport(width, height), prefers, chromedp.Poll[chromedp.Void](fits, chromedp.WithPollingTimeout(pageDeadline)))
	png, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	for _, s := range eval[[]string](w, sound) {
		w.t.Errorf("%s at %d: %s", name, width, s)
	}
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", name, width, theme)), png, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// TestOneFileOpensFromDisk opens the file as a colleague would, and follows all of its links.
func TestOneFileOpensFromDisk(t *testing.T) {
	s := openSample(t)
	var b bytes.Buffer
	cfg := page.DefaultFileConfig()
	cfg.Scope, cfg.Runbooks, cfg.About = s.whole, docs.Runbooks(), "Made by a test."
	if err := page.WriteFile(t.Context(), &b, cfg, s.sources()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	w := openWindow(t)
	at := "file://" + path
	w.open(at)
	w.quiet(at)
	hashes := eval[[]string](w, `Array.from(new Set(Array.from(document.querySelectorAll('a[href^="#"]')).map(a => a.getAttribute("href"))))`)
	for _, h := range hashes {
		shown := eval[int](w, fmt.Sprintf(`(() => { location.hash = %q; window.dispatchEvent(new Event("hashchange")); return Array.from(document.querySelectorAll("[data-view]")).filter(v => !v.hidden).length })()`, h))
		if shown != 1 {
			t.Errorf("%s shows %d views", h, shown)
		}
		w.quiet(h)
	}
	if folder := os.Getenv("TOOLTRAIL_SCREENSHOTS"); folder != "" {
		eval[chromedp.Void](w, `location.hash = "#drift"`)
		w.picture(folder, "file", 1280, "dark")
	}
	t.Logf("%d links", len(hashes))
}
