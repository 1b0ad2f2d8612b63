package page_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/page"
)

func TestConfigIsRefusedWhereOthersCouldReadAlong(t *testing.T) {
	token := strings.Repeat("x", page.MinToken)
	for _, c := range []struct {
		change func(*page.Config)
		want   string
	}{
		{func(c *page.Config) { c.Listen = "0.0.0.0:8091" }, "needs a token"},
		{func(c *page.Config) { c.Listen, c.Token = "0.0.0.0:8091", token }, "needs TLS or a trusted proxy"},
		{func(c *page.Config) { c.Listen, c.Token, c.TLS = "[::]:8091", token, true }, "needs the names"},
		{func(c *page.Config) { c.Listen, c.Token, c.TLS, c.Hosts = ":8091", token, true, []string{"t.example"} }, ""},
		{func(c *page.Config) { c.Token = "short" }, "want 24 or more"},
		{func(c *page.Config) { c.Hosts = []string{"https://t.example"} }, "without scheme"},
		{func(c *page.Config) { c.Listen = "8091" }, "want HOST:PORT"},
		{func(c *page.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")} }, "behind a proxy, which other machines reach, needs a token"},
		{func(c *page.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")} }, "everybody"},
		{func(c *page.Config) { c.Token = strings.Repeat(" ", 30) }, "nothing but spaces"},
		{func(c *page.Config) { c.Hosts = []string{"*"} }, "without scheme"},
		{func(c *page.Config) {}, ""},
	} {
		cfg := page.DefaultConfig()
		c.change(&cfg)
		err := cfg.Validate()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

func TestAnotherNameForThePageIsRefused(t *testing.T) {
	b := serve(t, openSample(t).sources(), nil)
	for host, want := range map[string]int{
		"evil.example": http.StatusMisdirectedRequest, "evil.example:8091": http.StatusMisdirectedRequest, "localhost:1": http.StatusOK, "[::1]:8091": http.StatusOK,
	} {
		if status, _, _ := b.do(http.MethodGet, "/findings", "", func(r *http.Request) { r.Host = host }); status != want {
			t.Errorf("%s: %d, want %d", host, status, want)
		}
	}
}

func TestOnlyTheProxyIsAnswered(t *testing.T) {
	const token = "a-token-of-more-than-24-bytes"
	behind := func(proxy string) func(*page.Config) {
		return func(c *page.Config) {
			c.TrustedProxies, c.Token, c.Hosts = []netip.Prefix{netip.MustParsePrefix(proxy)}, token, []string{"page.example"}
		}
	}
	b := serve(t, openSample(t).sources(), behind("127.0.0.1/32"))
	secure := func(r *http.Request) {
		r.Header.Set("X-Forwarded-Proto", "https")
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if status, _, _ := b.do(http.MethodGet, "/findings", "", secure); status != http.StatusOK {
		t.Errorf("by the proxy: %d", status)
	}
	if status, _, _ := b.get("/findings"); status != http.StatusForbidden {
		t.Errorf("without TLS: %d", status)
	}
	b = serve(t, openSample(t).sources(), behind("10.0.0.0/8"))
	if status, _, _ := b.do(http.MethodGet, "/findings", "", secure); status != http.StatusForbidden {
		t.Errorf("from another address: %d", status)
	}
}

func TestATokenIsAskedForAndTaken(t *testing.T) {
	token := strings.Repeat("s3cret", 5)
	b := serve(t, openSample(t).sources(), func(c *page.Config) { c.Token = token })
	status, text, _ := b.get("/findings?state=open")
	if status != http.StatusOK || !strings.Contains(text, `name="token"`) || strings.Contains(text, "data-table") {
		t.Fatalf("no question: %d", status)
	}
	form := url.Values{"csrf": {csrf(t, text)}, "token": {"wrong"}, "next": {"/findings?state=open"}}
	if status, _, _ := b.do(http.MethodPost, "/login", form.Encode(), nil); status != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d", status)
	}
	form.Set("token", token)
	if status, text, _ := b.do(http.MethodPost, "/login", form.Encode(), nil); status != http.StatusOK || !strings.Contains(text, "data-table") {
		t.Errorf("the right token: %d", status)
	}
	other := serve(t, openSample(t).sources(), func(c *page.Config) { c.Token = token })
	bearer := func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	if _, text, _ := other.do(http.MethodGet, "/findings", "", bearer); !strings.Contains(text, "data-table") {
		t.Error("the token in a header is not taken")
	}
	if status, _, _ := other.do(http.MethodPost, "/findings/abc", "csrf=x", nil); status != http.StatusUnauthorized {
		t.Errorf("an action without a token: %d", status)
	}
}

// assetVersions are what addresses of assets change by.
var assetVersions = regexp.MustCompile(`\?v=[0-9a-f]+`)

var csrfField = regexp.MustCompile(`name="csrf" value="([0-9a-f]+)"`)

func csrf(t *testing.T, text string) string {
	t.Helper()
	m := csrfField.FindStringSubmatch(text)
	if m == nil {
		t.Fatal("no form")
	}
	return m[1]
}
