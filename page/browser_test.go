package page_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/tooltrail/tooltrail/docs"
	"github.com/tooltrail/tooltrail/page"
	"github.com/tooltrail/tooltrail/panels"
)

// TestFromAnAlertToItsFixInFiveClicks: from the runbook of DriftOver20 to the tool, its models, the first wrong call and the fix.
func TestFromAnAlertToItsFixInFiveClicks(t *testing.T) {
	t.Parallel()
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
	name := tool.Query().Get("tool")
	shows := func(what, selector string, words ...string) {
		t.Helper()
		text := eval[string](w, `Array.from(document.querySelectorAll(`+"`"+selector+"`"+`)).map(e => e.textContent).join("\n")`)
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s: no %q in %s: %.300s", what, word, selector, text)
			}
		}
	}
	shows("the tool", `table[data-table="drift_tools"] tbody`, name, "%")
	shows("the tool", `table[data-table="drift_models"] tbody`, "claude-sonnet-4-5", "gpt-5.1")
	if at := click("the model", `table[data-table="drift_models"] tbody a`); !strings.Contains(at, "model=") || !strings.Contains(at, "tool=") {
		t.Errorf("the model: %s", at)
	}
	shows("the model", ".chips", name, "claude-sonnet-4-5")
	shows("the model", `table[data-table="drift_calls"] tbody`, name)
	if at := click("the first wrong call", `table[data-table="drift_calls"] tbody td:last-child a`); !strings.Contains(at, "/conversation?") {
		t.Errorf("the first wrong call: %s", at)
	}
	shows("the first wrong call", `table[data-table="conversation_timeline"] tbody`, name, "old_version")
	click("back to the drift of this tool", `table[data-table="conversation_timeline"] tbody a[href*="tool=`+url.QueryEscape(name)+`"]`)
	click("the fix", `table[data-table="drift_findings"] tbody tr:has(a[href$="/runbook/DriftOver20"]) td:nth-child(2) a`)
	shows("the fix", ".lead", "critical", name)
	shows("the fix", ".action", "Pin the model version")
	if clicks > 5 {
		t.Errorf("%d clicks", clicks)
	}
}

// TestTablesSortAndFilterAndTimesAreTheReaders uses what only scripts do.
func TestTablesSortAndFilterAndTimesAreTheReaders(t *testing.T) {
	t.Parallel()
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
	let level = 0;
	document.querySelectorAll("h1, h2, h3, h4").forEach(e => {
		if (e.closest("[hidden]")) return;
		const n = Number(e.tagName[1]);
		if (n > level + 1 || n === 1 && level) wrong.push("heading of level " + n + " after " + level + ": " + e.textContent);
		level = n;
	});
	document.querySelectorAll("table[data-table]").forEach(e => { if (!e.caption || !e.caption.textContent) wrong.push("no caption: " + e.dataset.table); });
	document.querySelectorAll(".scroll").forEach(e => { if (e.tabIndex !== 0 || !e.getAttribute("aria-label")) wrong.push("not scrolled by keys: " + e.innerHTML.slice(0, 120)); });
	document.querySelectorAll("[data-chart]").forEach(e => {
		const table = e.nextElementSibling && e.nextElementSibling.querySelector("table");
		if (!e.querySelector("[role=img][aria-label]") || !table || !table.rows.length) wrong.push("a chart without words: " + e.dataset.chart);
	});
	document.querySelectorAll("[data-chart]:not([data-drawn])").forEach(e => { if (!e.closest("[hidden]")) wrong.push("not drawn: " + e.dataset.chart); });
	return wrong;
})()`

// TestThePageIsUsedByKeysAlone walks a view with the keyboard: the first stop skips to the content, each is seen, and a table sorts by it.
func TestThePageIsUsedByKeysAlone(t *testing.T) {
	t.Parallel()
	s := openSample(t)
	b := serve(t, s.sources(), nil)
	w := openWindow(t)
	w.open(b.url + "/prefix" + over(s.whole))
	for preference, want := range map[string]string{"no-preference": "smooth", "reduce": "auto"} {
		w.emulate("prefers-reduced-motion", preference)
		if got := eval[string](w, `getComputedStyle(document.documentElement).scrollBehavior`); got != want {
			t.Errorf("scrolling is %s, want %s", got, want)
		}
	}
	w.emulate("prefers-reduced-motion", "reduce")
	tab := func() string {
		w.run("tab", chromedp.KeyEvent(kb.Tab))
		return eval[string](w, `(() => {
			const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
			if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) return "no outline: " + e.outerHTML.slice(0, 120);
			if (box.bottom <= 0 || box.top >= innerHeight || !box.width) return "not seen: " + e.outerHTML.slice(0, 120);
			return "";
		})()`)
	}
	if wrong := tab(); wrong != "" || !eval[bool](w, `document.activeElement.matches("a.skip")`) {
		t.Errorf("the first stop is no way past the navigation: %s", wrong)
	}
	w.run("skip", chromedp.KeyEvent(kb.Enter))
	if !eval[bool](w, `document.activeElement.id === "main"`) {
		t.Error("the way past the navigation does not lead to the content")
	}
	sorter := `document.activeElement.matches("th a")`
	for stop := 0; !eval[bool](w, sorter); stop++ {
		if wrong := tab(); wrong != "" || stop > 40 {
			t.Fatalf("stop %d: %s", stop, wrong)
		}
	}
	w.run("sort", chromedp.KeyEvent(" "))
	if !eval[bool](w, `document.activeElement.closest("th").getAttribute("aria-sort") !== "none"`) {
		t.Error("the table is not sorted by keys")
	}
	w.quiet("prefix")
}

// TestEachViewFitsEachScreen takes a picture of each page at three widths, light and dark, and finds what does not fit. Pictures are left in
// TOOLTRAIL_SCREENSHOTS where it is set.
func TestEachViewFitsEachScreen(t *testing.T) {
	t.Parallel()
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
	w.emulate("prefers-color-scheme", theme)
	// Charts are drawn again a tenth of a second after the window has another size: what is waited for is their width.
	fits := `Array.from(document.querySelectorAll(".plot")).every(p => !p.clientWidth || !p.firstElementChild || Math.abs(p.firstElementChild.clientWidth - Math.max(p.clientWidth, 200)) < 2)`
	w.run(name, chromedp.EmulateViewport(width, height), chromedp.Poll[chromedp.Void](fits, chromedp.WithPollingTimeout(pageDeadline)))
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
	t.Parallel()
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
