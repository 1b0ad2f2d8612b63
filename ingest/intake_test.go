package ingest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/metrics"
)

func startIntake(t testing.TB, js jetstream.JetStream, change ...func(*ingest.IntakeConfig)) string {
	t.Helper()
	cfg := ingest.DefaultIntakeConfig()
	cfg.PublishTimeout = time.Second
	for _, f := range change {
		f(&cfg)
	}
	srv := httptest.NewServer(ingest.NewIntake(js, cfg))
	t.Cleanup(srv.Close)
	return srv.URL + ingest.IntakePath
}

func post(t testing.TB, url string, body []byte, header ...string) (int, ingest.IntakeAnswer) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var a ingest.IntakeAnswer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, a
}

func messages(t testing.TB, js jetstream.JetStream) uint64 {
	t.Helper()
	s, err := js.Stream(t.Context(), streamName)
	if err != nil {
		t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

func TestIntakeAcceptsAfterTheAck(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	url := startIntake(t, js)
	body := lines(call(0), []byte(""), call(1), call(2))
	if status, a := post(t, url, body); status != http.StatusOK || a.Accepted != 3 || len(a.Errors) != 0 {
		t.Fatalf("%d %+v", status, a)
	}
	if n := messages(t, js); n != 1 {
		t.Errorf("%d messages, one lane makes one", n)
	}
	if status, a := post(t, url, body); status != http.StatusOK || a.Accepted != 3 {
		t.Fatalf("again: %d %+v", status, a)
	}
	if n := messages(t, js); n != 1 {
		t.Errorf("%d messages after the same body again", n)
	}
}

func TestIntakeNamesEachBadLine(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	reg := prometheus.NewRegistry()
	m := metrics.NewIngest(reg)
	url := startIntake(t, js, func(c *ingest.IntakeConfig) { c.MaxErrors, c.Metrics = 2, m })
	wrong := []byte(strings.Replace(string(callOf(1, "t")), `"ok"`, `"hunter2"`, 1))
	status, a := post(t, url, lines(call(0), nil, wrong, []byte("{"), []byte("[]")))
	if status != http.StatusMultiStatus || a.Accepted != 1 || len(a.Errors) != 2 || a.MoreErrors != 1 {
		t.Fatalf("%d %+v", status, a)
	}
	if e := a.Errors[0]; e.Line != 3 || e.Path != "/data/outcome" || strings.Contains(e.Reason, "hunter2") {
		t.Errorf("first error: %+v", e)
	}
	if status, a = post(t, url, wrong); status != http.StatusUnprocessableEntity || a.Accepted != 0 {
		t.Errorf("nothing good: %d %+v", status, a)
	}
	r := &running{}
	if got := r.value(t, m.IntakeEvents.WithLabelValues("refused")); got != 4 {
		t.Errorf("counted %v refused lines", got)
	}
}

// What curl makes of a pretty-printed file, of an array and of -d: each line that is wrong is explained, as in a dead letter.
func TestIntakeExplainsWhatIsNotOneEventALine(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	url := startIntake(t, js)
	one := string(call(0))
	for body, want := range map[string][]string{
		"{\n  \"id\": \"hunter2\",\n  \"data\": {\n  }\n}": {
			"1  one event a line: this JSON is spread over several lines", "2  one event a line: this JSON is spread over several lines",
			"3  one event a line: this JSON is spread over several lines", "4  one event a line: this JSON is spread over several lines",
			"5  one event a line: this JSON is spread over several lines",
		},
		"[" + one + "]": {"1  one event a line, not an array"},
		one + one:       {"1  more after the event on this line; with curl use --data-binary"},
		strings.Replace(one, `"id":"`, `"id":"x`, 1): {"1 /id not a UUID"},
	} {
		status, a := post(t, url, []byte(body))
		var have []string
		for _, e := range a.Errors {
			have = append(have, fmt.Sprint(e.Line, " ", e.Path, " ", e.Reason))
		}
		if status != http.StatusUnprocessableEntity || strings.Join(have, "\n") != strings.Join(want, "\n") {
			t.Errorf("%.40s: %d %q", body, status, have)
		}
	}
}

func TestIntakeRefuses(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	url := startIntake(t, js, func(c *ingest.IntakeConfig) {
		c.Token, c.MaxBodyBytes, c.MaxLineBytes = "s3cret", 2000, 600
	})
	long := callOf(1, strings.Repeat("x", 600))
	for name, c := range map[string]struct {
		body   []byte
		header []string
		status int
	}{
		"no token":     {call(0), nil, http.StatusUnauthorized},
		"wrong token":  {call(0), []string{"Authorization", "Bearer other"}, http.StatusUnauthorized},
		"wrong scheme": {call(0), []string{"Authorization", "Basic s3cret"}, http.StatusUnauthorized},
		"right token":  {call(0), []string{"Authorization", "bearer s3cret"}, http.StatusOK},
		"no lines":     {[]byte("\n \n"), []string{"Authorization", "Bearer s3cret"}, http.StatusBadRequest},
		"large body":   {make([]byte, 2001), []string{"Authorization", "Bearer s3cret"}, http.StatusRequestEntityTooLarge},
		"long line":    {long, []string{"Authorization", "Bearer s3cret"}, http.StatusUnprocessableEntity},
		"compressed":   {call(0), []string{"Authorization", "Bearer s3cret", "Content-Encoding", "gzip"}, http.StatusUnsupportedMediaType},
	} {
		if status, a := post(t, url, c.body, c.header...); status != c.status {
			t.Errorf("%s: %d %+v, want %d", name, status, a, c.status)
		}
	}
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", resp.StatusCode)
	}
}

func TestIntakeSaysWhenNATSIsAway(t *testing.T) {
	b := startBroker(t)
	js := b.connect()
	url := startIntake(t, js)
	if status, a := post(t, url, call(0)); status != http.StatusServiceUnavailable || a.Accepted != 0 || a.Error == "" {
		t.Errorf("without a stream: %d %+v", status, a)
	}
	makeStreams(t, js)
	b.stop()
	if status, a := post(t, url, call(0)); status != http.StatusServiceUnavailable || a.Accepted != 0 {
		t.Errorf("without NATS: %d %+v", status, a)
	}
	b.start()
	eventually(t, "accepted again", func() bool { status, _ := post(t, url, call(0)); return status == http.StatusOK })
}

func TestIntakeHasRoomForSoManyBodies(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	url := startIntake(t, js, func(c *ingest.IntakeConfig) { c.MaxBodies = 1 })
	reader, writer := io.Pipe()
	slow, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, reader)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan int)
	go func() {
		resp, err := http.DefaultClient.Do(slow)
		if err != nil {
			done <- 0
			return
		}
		resp.Body.Close()
		done <- resp.StatusCode
	}()
	_, _ = writer.Write(call(0))
	eventually(t, "no room", func() bool { status, _ := post(t, url, call(1)); return status == http.StatusServiceUnavailable })
	_ = writer.Close()
	if status := <-done; status != http.StatusOK {
		t.Errorf("the slow body: %d", status)
	}
}

func TestIntakeFitsLinesIntoMessagesByLane(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	url := startIntake(t, js, func(c *ingest.IntakeConfig) { c.Partitions = 4 })
	var body [][]byte
	sent := make(map[string][]string)
	for n := range 3000 { // 3 MB in four lanes: each needs several messages
		e := &events.Event{ID: callID(n).String(), Source: "a", Time: time.Unix(1_700_000_000, 0), Data: &events.ToolCall{
			Context: events.Context{ConversationID: fmt.Sprint("c", n%40)}, ToolName: strings.Repeat("x", 900), Outcome: "ok",
		}}
		line, err := events.AppendEvent(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		body = append(body, line)
		c := e.Data.Common().ConversationID
		sent[c] = append(sent[c], e.ID)
	}
	if status, a := post(t, url, lines(body...)); status != http.StatusOK || a.Accepted != 3000 {
		t.Fatalf("%d %+v", status, a)
	}
	sink := newMemory()
	cfg := quick()
	cfg.Partitions = []int{0, 1, 2, 3}
	run(t, js, sink, cfg)
	total := func() (n int) {
		for p := range 4 {
			n += sink.count(events.Subject(p, events.KindToolCall))
		}
		return n
	}
	eventually(t, "3000 stored", func() bool { return total() >= 3000 })
	got := make(map[string][]string)
	for p := range 4 {
		for _, r := range sink.of(events.Subject(p, events.KindToolCall)) {
			c := r.Event.Data.Common().ConversationID
			got[c] = append(got[c], r.Event.ID)
		}
	}
	for c, ids := range sent {
		if strings.Join(ids, " ") != strings.Join(got[c], " ") {
			t.Errorf("conversation %s is out of order", c)
		}
	}
}

func TestSnippetsOfTheDocumentationWork(t *testing.T) {
	doc, err := os.ReadFile("../docs/intake.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ program, command string }{
		{"python3", "python3 docs/snippets/tooltrail.py"},
		{"node", "node --input-type=module < docs/snippets/tooltrail.ts"},
	} {
		t.Run(c.program, func(t *testing.T) {
			if !strings.Contains(string(doc), "\n"+c.command) {
				t.Errorf("intake.md does not say %s", c.command)
			}
			if _, err := exec.LookPath(c.program); err != nil {
				if os.Getenv("TOOLTRAIL_REQUIRE_ENGINE") == "1" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			js := startBroker(t).connect()
			makeStreams(t, js)
			sink := newMemory()
			run(t, js, sink, quick())
			url := startIntake(t, js, func(c *ingest.IntakeConfig) { c.Token = "s3cret" })
			cmd := exec.CommandContext(t.Context(), "sh", "-c", c.command)
			cmd.Dir = ".."
			cmd.Env = append(os.Environ(), "TOOLTRAIL_URL="+strings.TrimSuffix(url, ingest.IntakePath), "TOOLTRAIL_INTAKE_TOKEN=s3cret")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var a ingest.IntakeAnswer
			if err := json.Unmarshal(out, &a); err != nil || a.Accepted != 2 {
				t.Fatalf("answer %s", out)
			}
			eventually(t, "both stored", func() bool { return sink.count(callSubject) == 2 })
		})
	}
}

func BenchmarkIntake(b *testing.B) {
	js := startBroker(b).connect()
	makeStreams(b, js)
	url := startIntake(b, js)
	const per = 500
	b.SetBytes(int64(per * len(call(0))))
	n := 0
	for b.Loop() {
		body := make([][]byte, per)
		for i := range body {
			body[i] = call(n)
			n++
		}
		if status, a := post(b, url, lines(body...)); status != http.StatusOK {
			b.Fatal(status, a)
		}
	}
}

func TestIntakeMarksEventsOfLongAgo(t *testing.T) {
	js := startBroker(t).connect()
	makeStreams(t, js)
	url := startIntake(t, js)
	post(t, url, lines(call(0)))
	post(t, url, lines(call(1)), events.HistoryHeader, "yes")
	st, err := js.Stream(t.Context(), streamName)
	if err != nil {
		t.Fatal(err)
	}
	for seq, want := range map[uint64]string{1: "", 2: "1"} {
		m, err := st.GetMsg(t.Context(), seq)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Header.Get(events.HistoryHeader); got != want {
			t.Errorf("message %d: %q", seq, got)
		}
	}
}
