package e2e

import (
	"crypto/x509"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const pageToken = "a-token-of-more-than-24-bytes"

// certificate writes the key and certificate of a test server for 127.0.0.1, and returns a client that trusts it.
func certificate(t *testing.T) (cert, key string, client *http.Client) {
	t.Helper()
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	pair := srv.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, srv.Client()
}

// openPage starts a tooltrail whose page listens on all addresses of the machine, and returns the page's port on this one.
func openPage(t *testing.T, env ...string) (addr string) {
	t.Helper()
	addr = freeAddr(t)
	_, port, _ := strings.Cut(addr, ":")
	p := newProcess(t, "up", addr, append(env, "TOOLTRAIL_PAGE_TOKEN="+pageToken, "TOOLTRAIL_PAGE_HOSTS=127.0.0.1"), "tooltrail", "up", "--data", t.TempDir(),
		"--listen", freeAddr(t), "--nats", freeAddr(t), "--clickhouse", freeAddr(t), "--page", "0.0.0.0:"+port)
	p.start()
	p.waitReady()
	return addr
}

// answered asks and returns status, text and header.
func answered(t *testing.T, c *http.Client, r *http.Request) (int, string, http.Header) {
	t.Helper()
	resp, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b), resp.Header
}

// requestFor is a request with a form, or without one.
func requestFor(t *testing.T, method, at string, body url.Values) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(body.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

func TestThePageIsServedWithTLSToThoseWhoKnowTheToken(t *testing.T) {
	cert, key, client := certificate(t)
	addr := openPage(t, "TOOLTRAIL_PAGE_TLS_CERT="+cert, "TOOLTRAIL_PAGE_TLS_KEY="+key)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client.Jar, client.Timeout = jar, time.Minute
	if status, _, _ := answered(t, http.DefaultClient, requestFor(t, http.MethodGet, "http://"+addr+"/overview", nil)); status != http.StatusBadRequest {
		t.Errorf("without TLS: %d", status)
	}
	at := "https://" + addr
	status, text, header := answered(t, client, requestFor(t, http.MethodGet, at+"/overview", nil))
	if status != http.StatusOK || !strings.Contains(text, "Log in") || strings.Contains(text, "data-panel") || header.Get("Strict-Transport-Security") == "" {
		t.Fatalf("without the token: %d, %v", status, header)
	}
	if c := header.Get("Set-Cookie"); !strings.Contains(c, "; HttpOnly") || !strings.Contains(c, "; Secure") || !strings.Contains(c, "; SameSite=Lax") {
		t.Errorf("the cookie is sent without TLS, or told to scripts or other sites: %s", c)
	}
	csrf := regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(text)
	if csrf == nil {
		t.Fatal("the form has no token of its own")
	}
	form := url.Values{"csrf": {csrf[1]}, "next": {"/pipeline"}, "token": {"another-token-of-24-bytes"}}
	if status, _, _ := answered(t, client, requestFor(t, http.MethodPost, at+"/login", form)); status != http.StatusUnauthorized {
		t.Errorf("another token: %d", status)
	}
	form.Set("token", pageToken)
	if status, text, _ := answered(t, client, requestFor(t, http.MethodPost, at+"/login", form)); status != http.StatusOK || !strings.Contains(text, `id="pipeline_totals"`) {
		t.Errorf("the token: %d", status)
	}
	r := requestFor(t, http.MethodGet, at+"/overview", nil)
	r.Header.Set("Authorization", "Bearer "+pageToken)
	r.Host = "evil.example"
	if status, _, _ := answered(t, client, r); status != http.StatusMisdirectedRequest {
		t.Errorf("by another name: %d", status)
	}
}

func TestThePageBehindAProxyIsServedToTheProxyAlone(t *testing.T) {
	addr := openPage(t, "TOOLTRAIL_PAGE_PROXIES=127.0.0.2/32")
	r := requestFor(t, http.MethodGet, "http://"+addr+"/overview", nil)
	r.Header.Set("Authorization", "Bearer "+pageToken)
	r.Header.Set("X-Forwarded-Proto", "https")
	r.Header.Set("X-Forwarded-For", "127.0.0.2")
	if status, _, _ := answered(t, http.DefaultClient, r); status != http.StatusForbidden {
		t.Errorf("another than the proxy: %d", status)
	}
	addr = openPage(t, "TOOLTRAIL_PAGE_PROXIES=127.0.0.1")
	for proto, want := range map[string]int{"https": http.StatusOK, "http": http.StatusForbidden, "": http.StatusForbidden} {
		r := requestFor(t, http.MethodGet, "http://"+addr+"/overview", nil)
		r.Header.Set("Authorization", "Bearer "+pageToken)
		r.Header.Set("X-Forwarded-Proto", proto)
		if status, _, _ := answered(t, http.DefaultClient, r); status != want {
			t.Errorf("the proxy, asked by %q: %d, want %d", proto, status, want)
		}
	}
}

func TestThePageOfAStoreIsServedApart(t *testing.T) {
	dir, addr := t.TempDir(), freeAddr(t)
	up := newProcess(t, "up", addr, nil, "tooltrail", "up", "--data", dir, "--listen", addr, "--nats", freeAddr(t), "--clickhouse", freeAddr(t), "--page", "")
	up.start()
	up.waitReady()
	waitFor(t, time.Minute, "up to be up", func() bool { return strings.Contains(up.tail(), "See the page") })
	at := freeAddr(t)
	p := newProcess(t, "page", at, []string{"TOOLTRAIL_DATA=" + dir}, "tooltrail", "page", "--listen", at)
	p.start()
	p.waitReady()
	status, text, _ := answered(t, http.DefaultClient, requestFor(t, http.MethodGet, "http://"+at+"/pipeline", nil))
	if status != http.StatusOK || !strings.Contains(text, `id="pipeline_totals"`) || strings.Contains(text, `class="failed"`) {
		t.Errorf("status %d", status)
	}
}

func TestAPageThatOthersReachIsRefusedUnlessItIsSafe(t *testing.T) {
	dir, err := programs()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "tooltrail"), "up", "--data", t.TempDir(), "--page", "0.0.0.0:0")
	cmd.Env = append(os.Environ(), engineEnv(t))
	out, err := cmd.CombinedOutput()
	for _, want := range []string{"needs a token", "needs TLS or a trusted proxy", "needs the names"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if code := cmd.ProcessState.ExitCode(); code != 2 {
		t.Errorf("status %d, %v", code, err)
	}
}
