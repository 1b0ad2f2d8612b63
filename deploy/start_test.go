package deploy_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/types"
)

// startup is how long a program may take until it is healthy, on a busy machine.
const startup = 90 * time.Second

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
		if strings.Contains(strings.ToLower(log.String()), "permissions violation") {
			t.Errorf("NATS does not let %s do what it does", filepath.Base(program))
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

// installation is what docker-compose.yml starts of Tooltrail, running.
type installation struct {
	t                  *testing.T
	ch                 *clickHouse
	front              *front
	nats, store        string // addresses
	secrets            string
	ingest, analyzer   string
	built              map[string]string
	ingesting, looking *exec.Cmd
}

// start runs migrate, ingest and analyzer one after the other, as they would start, with names looked up soon after they came.
func start(t *testing.T) *installation {
	t.Helper()
	in := &installation{t: t, ch: startClickHouse(t), built: programs(t, "ingest", "analyzer", "tooltrail"), ingest: freeAddress(t), analyzer: freeAddress(t)}
	in.nats, in.secrets = natsServer(t)
	in.front, in.store = startFront(t, in.ch, in.secrets)
	settings := filepath.Join(t.TempDir(), "settings.yaml")
	write(t, settings, read(t, "settings/settings.yaml")+"activation:\n  judge_after: 1s\n")
	places := strings.NewReplacer("/run/secrets/", in.secrets+"/", "tls://nats:4222", in.nats, "https://clickhouse:8443", in.store,
		"0.0.0.0:8090", in.ingest, "0.0.0.0:8091", in.analyzer, "/etc/tooltrail/settings.yaml", settings)
	services := project(t).Services
	if err := service(t, in.built["ingest"], services["migrate"], places).Wait(); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	in.ingesting = service(t, in.built["ingest"], services["ingest"], places)
	eventually(t, "ingest is ready", func() bool { return in.healthy("ingest", "http://"+in.ingest+"/readyz") })
	often := services["analyzer"]
	often.Command = append(often.Command, "-interval", "2s", "-window", "0")
	in.looking = service(t, in.built["analyzer"], often, places)
	eventually(t, "the analyzer has the store and NATS", func() bool {
		text := get("http://" + in.analyzer + "/metrics")
		return strings.Contains(text, "\ntooltrail_store_up 1") && strings.Contains(text, "\ntooltrail_breaker_nats_up 1") && in.healthy("analyzer", "http://"+in.analyzer+"/healthz")
	})
	return in
}

func (in *installation) healthy(program, url string) bool {
	return exec.Command(in.built[program], "healthy", url).Run() == nil
}

// rows is how many rows a table has.
func (in *installation) rows(table string) int {
	in.t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(in.ch.must("SELECT count() FROM tooltrail." + table)))
	if err != nil {
		in.t.Fatal(err)
	}
	return n
}

// tooltrail runs the command line as a user of ClickHouse and of NATS, as docs/operating.md says.
func (in *installation) tooltrail(user string, args ...string) (string, error) {
	in.t.Helper()
	cmd := exec.Command(in.built["tooltrail"], args...)
	file := func(name string) string { return filepath.Join(in.secrets, name) }
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + in.t.TempDir(), "SSL_CERT_FILE=" + file("ca.crt"),
		"TOOLTRAIL_CLICKHOUSE=" + in.store, "TOOLTRAIL_CLICKHOUSE_USER=tooltrail_" + user, "TOOLTRAIL_CLICKHOUSE_PASSWORD_FILE=" + file("clickhouse_"+user),
		"TOOLTRAIL_NATS=" + in.nats, "TOOLTRAIL_NATS_NKEY=" + file("nats_operator.nk"), "TOOLTRAIL_NATS_TLS_CA=" + file("ca.crt"), "TOOLTRAIL_NATS_INBOX=_INBOX_operator",
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestTheWholeSampleGoesThroughWhatComposeStartsAsItsUsers(t *testing.T) {
	in := start(t)
	t.Cleanup(in.nothingRefused)
	token := read(t, filepath.Join(in.secrets, "intake_token"))
	if got := post(t, "http://"+in.ingest+"/v1/events", "wrong", "{}\n"); got != http.StatusUnauthorized {
		t.Errorf("the intake answers %d to a wrong token, want %d", got, http.StatusUnauthorized)
	}
	send := func(part string) int {
		if got := post(t, "http://"+in.ingest+"/v1/events", token, part); got != http.StatusOK {
			t.Fatalf("the intake answers %d, want %d", got, http.StatusOK)
		}
		return strings.Count(part, "\n")
	}
	lines := send(ownRoster)
	eventually(t, "the list of tools is stored", func() bool { return in.rows("tool_rosters") > 0 })
	lines += send(ownCalls)
	for part := range sampleParts(t) {
		lines += send(part)
	}
	eventually(t, "all events are stored", func() bool {
		stored := 0
		for _, table := range eventTables {
			stored += in.rows(table)
		}
		return stored >= lines
	})
	for _, table := range analyzerTables(in.ch) {
		if table != "finding_actions" { // written when a fact returns or a switch is thrown
			eventually(t, "the analyzer writes "+table, func() bool { return in.rows(table) > 0 })
		}
	}
	if metric := get("http://" + in.ingest + "/metrics"); !regexp.MustCompile(`(?m)^tooltrail_ingest_names_resolved_total [1-9]`).MatchString(metric) {
		t.Error("ingest looked up no name")
	}
	in.peopleWork()
	stop(t, in.ingesting)
	stop(t, in.looking)
}

// peopleWork acknowledges a finding as the operator, looks as the reader, and is refused what the reader may not.
func (in *installation) peopleWork() {
	in.t.Helper()
	fingerprint := strings.TrimSpace(in.ch.must("SELECT fingerprint FROM tooltrail.findings_now ORDER BY fingerprint LIMIT 1"))
	for _, c := range [][]string{
		{"operator", "findings", "ack", fingerprint, "--why", "looked at"}, {"operator", "findings", "show", fingerprint}, {"operator", "tools", "list"},
		{"operator", "deadletters", "list"}, {"reader", "report", "--all"}, {"reader", "findings", "--state", "acknowledged"},
	} {
		if out, err := in.tooltrail(c[0], c[1:]...); err != nil {
			in.t.Errorf("tooltrail %s as %s: %v\n%s", strings.Join(c[1:], " "), c[0], err, out)
		}
	}
	if in.rows("finding_actions") == 0 {
		in.t.Error("what the operator acknowledged is not stored")
	}
	in.nothingRefused()
	if out, err := in.tooltrail("reader", "findings", "resolve", fingerprint, "--why", "mended"); err == nil || len(in.front.refusals()) == 0 {
		in.t.Errorf("the reader resolves a finding: %v\n%s", err, out)
	}
}

// nothingRefused fails with what ClickHouse denied to whom.
func (in *installation) nothingRefused() {
	in.t.Helper()
	for _, denied := range in.front.refusals() {
		in.t.Error("refused: " + denied)
	}
}

// What an agent sends that looks no names up itself: the list of its tools, a call by the right name, which ingest looks up in it, and one by a
// wrong name, which is left to the analyzer.
const (
	oneDigest = "502bb6a9a2dad34d2ee412f1ba7bcf79"
	envelope  = `{"specversion":"1.0","source":"/agents/python","time":"2026-10-05T08:00:00Z",`
	ownRoster = envelope + `"id":"5f0c3b0e-8a53-4c8e-9d6f-2f1f6f0a7b11","type":"dev.tooltrail.tool_roster.v1","data":{"agent_name":"python","conversation_id":"python-1",` +
		`"reason":"deploy","roster_digest":"` + oneDigest + `","text_digest":"` + oneDigest + `","text_length":30,"tools":[{"name":"get_order","server":"shop","deferred":false,` +
		`"wire_digest":"` + oneDigest + oneDigest + `","definition_digest":"` + oneDigest + oneDigest + `","schema_digest":"` + oneDigest + oneDigest + `"}]}}` + "\n"
	ownCalls = envelope + `"id":"5f0c3b0e-8a53-4c8e-9d6f-2f1f6f0a7b12","type":"dev.tooltrail.tool_call.v1","data":{"agent_name":"python","conversation_id":"python-1","turn":1,` +
		`"tool_name":"get_order","outcome":"ok"}}` + "\n" +
		envelope + `"id":"5f0c3b0e-8a53-4c8e-9d6f-2f1f6f0a7b13","type":"dev.tooltrail.tool_call.v1","data":{"agent_name":"python","conversation_id":"python-1","turn":2,` +
		`"tool_name":"getOrder","outcome":"refused"}}` + "\n"
)

// sampleParts are the lines of the sample, by so many as one POST takes.
func sampleParts(t *testing.T) iter.Seq[string] {
	t.Helper()
	f, err := os.Open("../sample/sample.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	const most = 1 << 19
	return func(yield func(string) bool) {
		for part, rest := "", string(all); rest != ""; {
			line, after, _ := strings.Cut(rest, "\n")
			part, rest = part+line+"\n", after
			if len(part) < most && rest != "" {
				continue
			}
			if !yield(part) {
				return
			}
			part = ""
		}
	}
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

func post(t *testing.T, url, token, lines string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(lines))
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
