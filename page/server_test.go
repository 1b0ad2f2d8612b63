package page_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/docs"
	"github.com/tooltrail/tooltrail/e2e/sampletest"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/page"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store"
)

// over is the query of an address that shows all of a scope.
func over(s panels.Scope) string {
	return "?from=" + url.QueryEscape(s.From.Format(time.RFC3339Nano)) + "&to=" + url.QueryEscape(s.To.Format(time.RFC3339Nano))
}

func TestEachViewShowsItsPanelsOnTheSample(t *testing.T) {
	s := openSample(t)
	b := serve(t, s.sources(), nil)
	for _, v := range panels.Views() {
		t.Run(v.ID, func(t *testing.T) {
			query := over(s.whole)
			if v.ID == panels.Conversation {
				query += "&conversation=" + url.QueryEscape(s.report.Prefix.Conversations[0].ID)
			}
			status, text, _ := b.get("/" + v.ID + query)
			if status != http.StatusOK || strings.Contains(text, `class="failed"`) {
				t.Errorf("status %d, or a panel without an answer", status)
			}
			for _, p := range v.Panels {
				if !strings.Contains(text, `id="`+p.ID+`"`) {
					t.Errorf("no panel %s", p.ID)
				}
			}
			t.Logf("%d bytes, %d tables, %d charts, %d empty", len(text), strings.Count(text, "<table"), strings.Count(text, "data-chart="), strings.Count(text, `class="empty"`))
		})
	}
}

// stuck answers no query before it is let go, whatever the context says.
type stuck struct {
	one
	asked, letGo chan struct{}
}

func (s stuck) Find(ctx context.Context, f page.Filter) ([]finding.Finding, error) {
	s.asked <- struct{}{}
	<-s.letGo
	return s.one.Find(ctx, f)
}

// TestPagesWaitForTheirTurn: where as many as may are being made, another one waits, and is told so in the end.
func TestPagesWaitForTheirTurn(t *testing.T) {
	s := stuck{asked: make(chan struct{}, 1), letGo: make(chan struct{})}
	b := serve(t, page.Sources{Database: one{}, Findings: s}, func(c *page.Config) { c.Pages, c.Timeout = 1, 50*time.Millisecond })
	first := make(chan int)
	go func() {
		status, _, _ := b.get("/findings")
		first <- status
	}()
	<-s.asked
	if status, text, header := b.get("/drift"); status != http.StatusServiceUnavailable || header.Get("Retry-After") != "1" || !strings.Contains(text, "Load the page again") {
		t.Errorf("the second of one at once: %d, %q", status, text)
	}
	if status, _, _ := b.get("/healthz"); status != http.StatusNoContent {
		t.Errorf("healthz waits for a turn: %d", status)
	}
	close(s.letGo)
	if status := <-first; status != http.StatusOK {
		t.Errorf("the first: %d", status)
	}
	if status, _, _ := b.get("/findings"); status != http.StatusOK {
		t.Errorf("after it: %d", status)
	}
}

// TestASlowFormKeepsNobodyWaiting: a form is read before it is its page's turn.
func TestASlowFormKeepsNobodyWaiting(t *testing.T) {
	s := openSample(t)
	b := serve(t, s.sources(), func(c *page.Config) { c.Pages = 1 })
	at, err := url.Parse(b.url)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := net.Dial("tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	if _, err := fmt.Fprintf(slow, "POST /findings/%s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\na=", s.report.Findings[0].Fingerprint, at.Host); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if status, _, _ := b.get("/findings"); status != http.StatusOK {
			t.Errorf("beside a form that does not end: %d", status)
		}
	}
}

// TestTheFirstDigitsOfAFingerprintLeadToTheFinding: those that the command line and the tables show do.
func TestTheFirstDigitsOfAFingerprintLeadToTheFinding(t *testing.T) {
	s := openSample(t)
	b := serve(t, s.sources(), nil)
	f := s.report.Findings[0]
	for _, digits := range []string{f.Fingerprint[:8], strings.ToUpper(f.Fingerprint[:12]), f.Fingerprint} {
		if status, text, _ := b.get("/findings/" + digits); status != http.StatusOK || !strings.Contains(text, f.Fingerprint) {
			t.Errorf("%s: %d", digits, status)
		}
	}
	for _, digits := range []string{f.Fingerprint[:3], "00000000", f.Fingerprint + "0", "zz" + f.Fingerprint[2:]} {
		if status, _, _ := b.get("/findings/" + digits); status != http.StatusNotFound {
			t.Errorf("%s: %d", digits, status)
		}
	}
	if _, text, _ := b.get("/findings?rule=" + f.Rule); !strings.Contains(text, f.Fingerprint) || strings.Contains(text, "CacheTokensLost") {
		t.Errorf("not narrowed to %s", f.Rule)
	}
}

func TestAFilterOfFindingsThatIsNoneIsSaid(t *testing.T) {
	b := serve(t, page.Sources{Database: one{}, Findings: one{}}, nil)
	for query, want := range map[string]string{
		"severity=xx": "want one of info, warning, critical", "state=closed": "want one of open", "detector=x%3Cy": "want one of drift",
	} {
		if status, text, _ := b.get("/findings?" + query); status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s: %d, %q", query, status, text)
		}
	}
	if status, _, _ := b.get("/findings?severity=warning&state=open&detector=drift&tool=whatever"); status != http.StatusOK {
		t.Errorf("what can be chosen: %d", status)
	}
}

// TestWhatAFieldHidesIsSaidBesideIt: a field shows what the address says as it is, and so a name with a turned line as another one.
func TestWhatAFieldHidesIsSaidBesideIt(t *testing.T) {
	b := serve(t, page.Sources{Database: one{}, Findings: one{}}, nil)
	const says = `that is <code>refund\u202eexe</code>`
	for _, path := range []string{"/findings", "/drift"} {
		if _, text, _ := b.get(path + "?tool=refund%E2%80%AEexe"); !strings.Contains(text, says) {
			t.Errorf("%s does not say what its field hides", path)
		}
		if _, text, _ := b.get(path + "?tool=refund"); strings.Contains(text, "that is <code>") {
			t.Errorf("%s says that its field hides something", path)
		}
	}
}

func TestARangeThatNobodyChoseMovesToWhereEventsAre(t *testing.T) {
	s := openSample(t)
	b := serve(t, s.sources(), func(c *page.Config) { c.Now = func() time.Time { return s.whole.To.Add(90 * 24 * time.Hour) } })
	if _, text, _ := b.get("/drift"); !strings.Contains(text, "these are the last days with events") || !strings.Contains(text, "data-chart=") {
		t.Error("the page shows an empty range although there are events")
	}
	if _, text, _ := b.get("/drift?last=1h"); strings.Contains(text, "these are the last days with events") || !strings.Contains(text, "Choose a longer one") {
		t.Error("a range that somebody chose is shown as it is, with what to do")
	}
}

func TestTablesAreSortedByTheAddress(t *testing.T) {
	s := openSample(t)
	b := serve(t, s.sources(), nil)
	calls := regexp.MustCompile(`(?s)data-table="drift_tools".*?</table>`)
	_, up, _ := b.get("/drift" + over(s.whole) + "&sort=drift_tools:calls")
	_, down, _ := b.get("/drift" + over(s.whole) + "&sort=drift_tools:calls:desc")
	if calls.FindString(up) == calls.FindString(down) {
		t.Error("both ways are the same")
	}
	if !strings.Contains(calls.FindString(down), `data-col="calls" class="number" aria-sort="descending"`) {
		t.Error("the header does not say how the table is sorted")
	}
}

func TestWrongAddressesAreNamed(t *testing.T) {
	b := serve(t, openSample(t).sources(), nil)
	for path, want := range map[string]string{
		"/drift?last=yesterday": "last:", "/drift?from=x": "from:", "/drift?from=2026-01-01&to=2025-01-01": "is not before",
		"/drift?tool=" + strings.Repeat("x", 5000): "tool: 5000 bytes",
	} {
		if status, text, _ := b.get(path); status != http.StatusBadRequest || !strings.Contains(html.UnescapeString(text), want) {
			t.Errorf("%.40s: %d, want %s", path, status, want)
		}
	}
	for _, path := range []string{"/nothing", "/findings/abc", "/findings/zzz", "/runbook/Nothing", "/assets/nothing"} {
		if status, _, _ := b.get(path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
}

func TestThePageMayLoadAndRunOnlyItsOwnFiles(t *testing.T) {
	s := openSample(t)
	b := serve(t, s.sources(), nil)
	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|<script>|<script [^>]*>[^<]|src="?https?:|href="https?:`)
	for _, path := range []string{"/overview", "/drift", "/findings", "/runbook", "/runbook/DriftOver20", "/nothing"} {
		_, text, h := b.get(path)
		if got := h.Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'; script-src 'self'; style-src 'self';") || strings.Contains(got, "unsafe") {
			t.Errorf("%s: policy %s", path, got)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY", "Cache-Control": "no-store"} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		for _, m := range inline.FindAllString(text, -1) {
			if !strings.HasPrefix(m, `<script type="application/json">`) {
				t.Errorf("%s: %s", path, m)
			}
		}
	}
}

func TestFindingsAreWorkedWithAndOnlyFromThePage(t *testing.T) {
	t.Parallel()
	addr, database := enginetest.Database(t)
	cfg := store.DefaultConfig()
	cfg.Address, cfg.Database = "http://"+addr, database
	s, err := analyze(t, cfg, sampletest.Read(t))
	if err != nil {
		t.Fatal(err)
	}
	b := serve(t, s.sources(), nil)
	at := "/findings/" + s.report.Findings[0].Fingerprint
	_, text, _ := b.get(at)
	form := url.Values{"csrf": {csrf(t, text)}, "act": {"acknowledge"}, "why": {"<b>mine</b>"}}
	for name, c := range map[string]struct {
		change func(url.Values)
		with   func(*http.Request)
		status int
	}{
		"from another site":     {nil, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		"from another origin":   {nil, func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, http.StatusForbidden},
		"without the form":      {func(v url.Values) { v.Set("csrf", "00") }, nil, http.StatusForbidden},
		"without a reason":      {func(v url.Values) { v.Set("why", " ") }, nil, http.StatusBadRequest},
		"what nobody can do":    {func(v url.Values) { v.Set("act", "delete") }, nil, http.StatusBadRequest},
		"a mute without end":    {func(v url.Values) { v.Set("act", "mute") }, nil, http.StatusBadRequest},
		"what makes no sense":   {func(v url.Values) { v.Set("act", "reopen") }, nil, http.StatusBadRequest},
		"a reason of no UTF-8":  {func(v url.Values) { v.Set("why", "a\xff") }, nil, http.StatusBadRequest},
		"by nobody to be seen":  {func(v url.Values) { v.Set("by", "\u202ebob") }, nil, http.StatusBadRequest},
		"much too long":         {func(v url.Values) { v.Set("why", strings.Repeat("x", 1<<20)) }, nil, http.StatusRequestEntityTooLarge},
		"a reason of two lines": {func(v url.Values) { v.Set("why", "a\nb") }, nil, http.StatusBadRequest},
	} {
		v, _ := url.ParseQuery(form.Encode())
		if c.change != nil {
			c.change(v)
		}
		if status, _, _ := b.do(http.MethodPost, at, v.Encode(), c.with); status != c.status {
			t.Errorf("%s: %d, want %d", name, status, c.status)
		}
	}
	if _, text, _ := b.get(at); !strings.Contains(text, "Nothing yet.") {
		t.Error("something was done")
	}
	status, text, _ := b.do(http.MethodPost, at, form.Encode(), nil)
	if status != http.StatusOK || !strings.Contains(text, "&lt;b&gt;mine&lt;/b&gt;") || !strings.Contains(text, ">acknowledged</span>") || !strings.Contains(text, "tester") {
		t.Errorf("acknowledge: %d", status)
	}
	form.Set("act", "mute")
	form.Set("days", "7")
	if _, text, _ := b.do(http.MethodPost, at, form.Encode(), nil); !strings.Contains(text, "Muted until") {
		t.Error("it is not muted")
	}
	for until, want := range map[string]string{
		"2100-01-01": "at most", "2000-01-01": "in the future", "tomorrow": "want a date", time.Now().AddDate(0, 1, 0).Format("2006-01-02T15:04"): "Muted until",
	} {
		form.Set("until", until)
		if _, text, _ := b.do(http.MethodPost, at, form.Encode(), nil); !strings.Contains(text, want) {
			t.Errorf("muted until %s: no %q", until, want)
		}
	}
	form.Set("act", "resolve")
	if _, text, _ := b.do(http.MethodPost, at, form.Encode(), nil); !strings.Contains(text, ">resolved</span>") {
		t.Error("it is not resolved")
	}
}

func TestHostileNamesAreText(t *testing.T) {
	t.Parallel()
	addr, database := enginetest.Database(t)
	cfg := store.DefaultConfig()
	cfg.Address, cfg.Database = "http://"+addr, database
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s, err := analyze(t, cfg, hostileEvents(at))
	if err != nil {
		t.Fatal(err)
	}
	b := serve(t, s.sources(), func(c *page.Config) { c.Now = func() time.Time { return at.Add(time.Hour) } })
	paths := []string{"/overview", "/drift", "/activation", "/prefix", "/pipeline", "/findings", "/runbook/DriftOver20"}
	for _, f := range s.report.Findings {
		paths = append(paths, "/findings/"+f.Fingerprint)
	}
	for _, name := range hostile {
		if len(name) < 1000 {
			paths = append(paths, "/drift?tool="+url.QueryEscape(name), "/conversation?conversation="+url.QueryEscape(name), "/findings?tool="+url.QueryEscape(name))
		}
	}
	for _, path := range paths {
		status, text, _ := b.get(path)
		if status != http.StatusOK {
			t.Errorf("%s: %d", path, status)
		}
		checkHarmless(t, path, text)
	}
	var file bytes.Buffer
	fc := page.DefaultFileConfig()
	fc.Scope, fc.Runbooks = s.whole, docs.Runbooks()
	if err := page.WriteFile(t.Context(), &file, fc, s.sources()); err != nil {
		t.Fatal(err)
	}
	checkHarmless(t, "file", file.String())
}

var href = regexp.MustCompile(`href="([^"]*)"`)

// typed are values of fields, which must come back as they are, and which nothing of leaves its field.
var typed = regexp.MustCompile(`<input [^<>]*>`)

// checkHarmless: no name became markup or an address of a script, none turns a line round, and none is shown whole that is very long.
func checkHarmless(t *testing.T, path, text string) {
	t.Helper()
	text = typed.ReplaceAllString(text, "")
	for _, bad := range []string{"<script>alert", "<img", "\u202e", "\u200b", "\x00", "{{.Secret}}</script>"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s contains %q", path, bad)
		}
	}
	for _, m := range href.FindAllStringSubmatch(text, -1) {
		if at := html.UnescapeString(m[1]); !strings.HasPrefix(at, "/") && !strings.HasPrefix(at, "#") && at != "data:," || strings.HasPrefix(at, "//") {
			t.Errorf("%s: a link to %s", path, at)
		}
	}
	if strings.Contains(text, strings.Repeat("long name ", 300)) {
		t.Errorf("%s shows a very long name whole", path)
	}
}

func TestOneFileNeedsNothingBesideIt(t *testing.T) {
	t.Parallel()
	s := openSample(t)
	var b bytes.Buffer
	cfg := page.DefaultFileConfig()
	cfg.Scope, cfg.Runbooks, cfg.About = s.whole, docs.Runbooks(), "Made by a test."
	if err := page.WriteFile(t.Context(), &b, cfg, s.sources()); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	t.Logf("%d bytes", len(text))
	if m := regexp.MustCompile(`(?:src|href)="(?:https?:)?//[^"]*"`).FindString(text); m != "" {
		t.Errorf("it needs %s", m)
	}
	if strings.Contains(text, "unsafe") || !strings.Contains(text, "default-src 'none'; script-src 'sha256-") {
		t.Error("its policy is not strict")
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(`\sid="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if ids[m[1]] {
			t.Errorf("two things have the id %s", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range href.FindAllStringSubmatch(text, -1) {
		at, _, _ := strings.Cut(strings.TrimPrefix(html.UnescapeString(m[1]), "#"), "?")
		if m[1] != "data:," && !ids[at] {
			t.Errorf("a link leads to %s, which is not in the file", m[1])
		}
	}
}

// TestTheChartLibraryIsThePinnedOne holds the embedded files against those of uPlot 1.6.32's package.
func TestTheChartLibraryIsThePinnedOne(t *testing.T) {
	for name, want := range map[string]string{
		"uplot.js":      "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		"uplot.css":     "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
		"uplot.LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
	} {
		b, err := os.ReadFile("assets/" + name)
		if got := fmt.Sprintf("%x", sha256.Sum256(b)); err != nil || got != want {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
