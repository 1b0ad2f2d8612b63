package deploy_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
)

// startup is how long a program may take until it is healthy, on a busy machine.
const startup = 90 * time.Second

var changesTables = regexp.MustCompile(`^\s*(CREATE|ALTER|DROP)\b`)

// secureFront stands before the engine as ClickHouse itself would: HTTPS with the certificate of make secrets, the users of users.xml with
// their passwords, and nobody but tooltrail_migrate may make or change tables.
func secureFront(t *testing.T, addr, secrets string) string {
	t.Helper()
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: addr})
	front := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password := r.Header.Get("X-ClickHouse-User"), r.Header.Get("X-ClickHouse-Key")
		if u, p, ok := r.BasicAuth(); ok {
			user, password = u, p
		}
		want, err := os.ReadFile(filepath.Join(secrets, "clickhouse_"+strings.TrimPrefix(user, "tooltrail_")))
		if err != nil || password != string(want) {
			http.Error(w, "Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)", http.StatusForbidden)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || user != "tooltrail_migrate" && (changesTables.Match(body) || changesTables.MatchString(r.URL.Query().Get("query"))) {
			http.Error(w, "Code: 497. DB::Exception: Not enough privileges. (ACCESS_DENIED)", http.StatusForbidden)
			return
		}
		r.Header.Del("Authorization")
		r.Header.Del("X-ClickHouse-User")
		r.Header.Del("X-ClickHouse-Key")
		r.Body, r.Host = io.NopCloser(bytes.NewReader(body)), addr
		forward.ServeHTTP(w, r)
	}))
	pair, err := tls.LoadX509KeyPair(filepath.Join(secrets, "clickhouse.crt"), filepath.Join(secrets, "clickhouse.key"))
	if err != nil {
		t.Fatal(err)
	}
	front.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	front.StartTLS()
	t.Cleanup(front.Close)
	return front.URL
}

// service runs a program with the command and the environment that docker-compose.yml gives a service, but for the places of files and servers.
func service(t *testing.T, program string, s types.ServiceConfig, places *strings.Replacer) *exec.Cmd {
	t.Helper()
	var args []string
	for _, a := range s.Command {
		args = append(args, places.Replace(a))
	}
	cmd := exec.Command(program, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range s.Environment {
		cmd.Env = append(cmd.Env, name+"="+places.Replace(*value))
	}
	log := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			stop(t, cmd)
		}
		if t.Failed() {
			t.Logf("%s:\n%s", filepath.Base(program), log)
		}
	})
	return cmd
}

// stop ends a program as docker does.
func stop(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v", filepath.Base(cmd.Path), err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// eventually asks until it is so.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(startup); time.Now().Before(deadline); <-tick.C {
		if is() {
			return
		}
	}
	t.Fatalf("not in %v: %s", startup, what)
}

func TestProgramsStartByWhatComposeGivesThem(t *testing.T) {
	ch := startClickHouse(t)
	nats, secrets := natsServer(t)
	built, services := programs(t, "ingest", "analyzer"), project(t).Services
	ingestAt, analyzerAt := freeAddress(t), freeAddress(t)
	places := strings.NewReplacer("/run/secrets/", secrets+"/", "tls://nats:4222", nats, "https://clickhouse:8443", secureFront(t, ch.addr, secrets),
		"0.0.0.0:8090", ingestAt, "0.0.0.0:8091", analyzerAt, "/etc/tooltrail/settings.yaml", "settings.yaml")

	if err := service(t, built["ingest"], services["migrate"], places).Wait(); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	ingest := service(t, built["ingest"], services["ingest"], places)
	healthy := func(program, url string) bool { return exec.Command(built[program], "healthy", url).Run() == nil }
	eventually(t, "ingest is ready", func() bool { return healthy("ingest", "http://"+ingestAt+"/readyz") })
	analyzer := service(t, built["analyzer"], services["analyzer"], places)
	eventually(t, "the analyzer has the store and NATS", func() bool {
		text := get("http://" + analyzerAt + "/metrics")
		return strings.Contains(text, "\ntooltrail_store_up 1") && strings.Contains(text, "\ntooltrail_breaker_nats_up 1") && healthy("analyzer", "http://"+analyzerAt+"/healthz")
	})

	for token, want := range map[string]int{"wrong": http.StatusUnauthorized, read(t, filepath.Join(secrets, "intake_token")): http.StatusOK} {
		if got := post(t, "http://"+ingestAt+"/v1/events", token); got != want {
			t.Errorf("the intake answers %d, want %d", got, want)
		}
	}
	eventually(t, "the event is stored", func() bool { return strings.TrimSpace(ch.must("SELECT count() FROM tooltrail.tool_calls")) == "1" })
	stop(t, ingest)
	stop(t, analyzer)
}

// get returns what an address answers, and nothing where it does not.
func get(url string) string {
	resp, err := http.Get(url)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return string(text)
}

func post(t *testing.T, url, token string) int {
	t.Helper()
	const event = `{"specversion":"1.0","id":"5f0c3b0e-8a53-4c8e-9d6f-2f1f6f0a7b11","source":"/agents/support","type":"dev.tooltrail.tool_call.v1",` +
		`"time":"2026-03-09T14:30:05Z","data":{"agent_name":"support","conversation_id":"c-1","tool_name":"get_order","outcome":"ok"}}` + "\n"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(event))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}
