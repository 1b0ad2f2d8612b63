package page_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// pageDeadline is how long one page may take to be shown on a machine that does much else.
const pageDeadline = 90 * time.Second

// window is a window of a real browser.
type window struct {
	t   *testing.T
	ctx context.Context

	mu sync.Mutex
	// said are errors and warnings that the browser printed.
	said []string
}

// openWindow starts Chromium, and skips the test where there is none.
func openWindow(t *testing.T) *window {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("TOOLTRAIL_REQUIRE_TOOLS") == "1" {
			t.Fatal("chromium is not installed; make tools installs it")
		}
		t.Skip("chromium is not installed; make tools installs it")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Env("TZ=America/St_Johns"), chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	w := &window{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, w.listen); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	return w
}

// openTab opens another tab of the window's browser.
func (w *window) openTab(t *testing.T) *window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(w.ctx)
	t.Cleanup(cancel)
	tab := &window{t: t, ctx: ctx}
	if err := chromedp.Listen(ctx, tab.listen); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	return tab
}

// listen keeps what the browser prints: exceptions, refused scripts and styles, files that are missing.
func (w *window) listen(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		w.said = append(w.said, said(e.ExceptionDetails))
	case *runtime.EventConsoleAPICalled:
		w.said = append(w.said, fmt.Sprint("console.", e.Type))
	case *log.EventEntryAdded:
		w.said = append(w.said, e.Entry.Text+" "+e.Entry.URL)
	}
}

func said(e *runtime.ExceptionDetails) string {
	if e.Exception != nil {
		return e.Text + " " + e.Exception.Description
	}
	return e.Text
}

// quiet fails the test where the browser has printed anything.
func (w *window) quiet(at string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.said {
		w.t.Errorf("%s: the browser says %s", at, s)
	}
	w.said = nil
}

func (w *window) run(at string, actions ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, pageDeadline)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		w.t.Fatalf("%s: %v", at, err)
	}
}

// emulate has the browser say what its reader prefers.
func (w *window) emulate(feature, value string) {
	w.t.Helper()
	w.run(feature, func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
		})
		return chromedp.Void{}, err
	})
}

// ready waits until the page's script is done.
const ready = chromedp.CSS("html[data-ready]")

func (w *window) open(at string) {
	w.t.Helper()
	w.run(at, chromedp.Navigate(at), chromedp.WaitReady(ready))
}

// eval returns what an expression is.
func eval[T any](w *window, expression string) T {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, pageDeadline)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// at returns the address that the window shows.
func (w *window) at() string { return eval[string](w, "location.href") }

// links returns where the links of the page lead on the same server.
func (w *window) links(origin string) []string {
	all := eval[[]string](w, `Array.from(document.querySelectorAll("a[href]")).map(a => a.href)`)
	var out []string
	for _, at := range all {
		at, _, _ = strings.Cut(at, "#")
		at = strings.TrimSuffix(strings.TrimSuffix(at, "#main"), "#") // the page itself
		if strings.HasPrefix(at, origin) {
			out = append(out, at)
		}
	}
	return out
}
