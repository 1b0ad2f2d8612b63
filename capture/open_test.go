package capture

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

// heartbeat is an event of our own, as a line.
const heartbeat = `{"specversion":"1.0","id":"0199d5e8-0000-7000-8000-000000000001","source":"agent","type":"dev.tooltrail.client_heartbeat.v1",` +
	`"time":"2026-01-02T03:04:05Z","data":{"client_id":"c","client_version":"1","emitted":1,"acked":1,"queue_events":0,"queue_bytes":0}}`

// readText reads text as a file and returns its events, its problems and how it ended.
func readText(t *testing.T, text string, opt Options) ([]*events.Event, []Problem, Summary, error) {
	t.Helper()
	var problems []Problem
	opt.Problem = func(p Problem) { problems = append(problems, p) }
	r, err := OpenReader("in.jsonl", strings.NewReader(text), int64(len(text)), opt)
	if err != nil {
		t.Fatal(err)
	}
	var all []*events.Event
	sum, err := r.Read(context.Background(), func(e *events.Event) error {
		all = append(all, e)
		return nil
	})
	return all, problems, sum, err
}

func TestABadLineIsAProblemWithFileLineAndReasonAndTheOthersAreRead(t *testing.T) {
	text := heartbeat + "\nnonsense\n" + strings.Replace(heartbeat, `"emitted":1`, `"emitted":"secret"`, 1) + "\n" + heartbeat
	all, problems, sum, err := readText(t, text, Options{})
	if err != nil || len(all) != 2 || sum.Problems != 2 || sum.Lines != 4 || sum.Format != "cloudevents" {
		t.Fatalf("%d events, %+v, %v", len(all), sum, err)
	}
	for i, want := range []struct {
		line   int
		reason string
	}{{2, "not JSON"}, {3, "/data/emitted"}} {
		p := problems[i]
		if p.File != "in.jsonl" || p.Line != want.line || !strings.Contains(p.Reason, want.reason) || strings.Contains(p.Error(), "secret") {
			t.Errorf("problem %d: %s", i, p.Error())
		}
	}
}

func TestStrictStopsAtTheFirstProblem(t *testing.T) {
	all, problems, sum, err := readText(t, heartbeat+"\nnonsense\n"+heartbeat, Options{Strict: true})
	var p *Problem
	if !errors.As(err, &p) || p.Line != 2 || len(problems) != 1 || len(all) != 1 || sum.Problems != 1 {
		t.Errorf("%v, %d events, %+v", err, len(all), sum)
	}
}

func TestEventsComeOutAsTheyWentIn(t *testing.T) {
	all, _, _, err := readText(t, heartbeat, Options{Context: events.Context{AgentName: "other"}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := events.Decode([]byte(heartbeat))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, all[0]); d != "" {
		t.Error(d)
	}
}

func TestALineTooLongIsAProblem(t *testing.T) {
	text := heartbeat + "\n" + `{"specversion":"` + strings.Repeat("x", 2000) + `"}` + "\n" + heartbeat
	all, problems, _, err := readText(t, text, Options{MaxLineBytes: 1000})
	if err != nil || len(all) != 2 || len(problems) != 1 || problems[0].Line != 2 {
		t.Errorf("%d events, %v, %v", len(all), problems, err)
	}
}

func TestGzipIsReadAndProgressCountsTheFile(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(heartbeat + "\n" + heartbeat + "\n"))
	_ = z.Close()
	path := filepath.Join(t.TempDir(), "in.jsonl.gz")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var done, total int64
	all, sum := captureAll(t, path, Options{Progress: func(d, n int64) { done, total = d, n }})
	if len(all) != 2 || sum.Problems != 0 {
		t.Errorf("%d events, %+v", len(all), sum)
	}
	if done != int64(packed.Len()) || total != done {
		t.Errorf("progress ends at %d of %d, want %d", done, total, packed.Len())
	}
}

func TestWhatNoFormatRecognisesIsAnErrorThatNamesThem(t *testing.T) {
	_, err := OpenReader("x", strings.NewReader("hello\n"), 0, Options{})
	if !errors.Is(err, ErrUnknownFormat) || !strings.Contains(err.Error(), "exchanges") {
		t.Error(err)
	}
	_, err = OpenReader("x", strings.NewReader("hello\n"), 0, Options{Format: "nope"})
	if err == nil || !strings.Contains(err.Error(), "cloudevents") {
		t.Error(err)
	}
	if _, err := Open(t.TempDir(), Options{}); err == nil {
		t.Error("a directory was opened")
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestACancelledContextEndsTheReading(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := OpenReader("x", strings.NewReader(strings.Repeat(heartbeat+"\n", 5)), 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	_, err = r.Read(ctx, func(*events.Event) error {
		n++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("%d events, %v", n, err)
	}
}

func TestEventIDsAreUUIDsThatDependOnEachPart(t *testing.T) {
	seen := map[string]bool{}
	for _, parts := range [][]string{{"a", "b"}, {"ab"}, {"a", "", "b"}, {"b", "a"}, nil} {
		for _, conversation := range []string{"", "a"} {
			id := EventID(events.KindToolCall, conversation, parts...)
			if len(id) != 36 || id[14] != '8' || seen[id] {
				t.Errorf("%q %q: %s", conversation, parts, id)
			}
			seen[id] = true
		}
	}
	if first, again := EventID(events.KindToolCall, "c", "x"), EventID(events.KindToolCall, "c", "x"); first != again {
		t.Error("the same event has two ids")
	}
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte(heartbeat))
	f.Add([]byte(`{"exchanges":[`))
	f.Add([]byte("\xef\xbb\xbf{\"request\":{\"a\":"))
	f.Fuzz(func(t *testing.T, head []byte) {
		a, okA := Detect(head)
		b, okB := Detect(head)
		if okA != okB || a.Name != b.Name {
			t.Fatal("not the same twice")
		}
	})
}
