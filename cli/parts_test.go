package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/ingest"
)

func TestWhatWasStartedStopsInReverseAndAllErrorsAreTold(t *testing.T) {
	defer goleak.VerifyNone(t)
	var s stack
	var order []string
	for _, name := range []string{"servers", "backend", "ingester"} {
		s.push(func(context.Context) error {
			order = append(order, name)
			return fmt.Errorf("stop %s", name)
		})
	}
	s.spawn(func(ctx context.Context) error { <-ctx.Done(); order = append(order, "part"); return nil }, func(err error) { t.Errorf("failed: %v", err) })
	err := s.stop()
	if diff := cmp.Diff([]string{"part", "ingester", "backend", "servers"}, order); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{"stop servers", "stop backend", "stop ingester"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not tell of %q", err, want)
		}
	}
	if err := s.stop(); err != nil {
		t.Errorf("stopping again: %v", err)
	}
}

func TestAPartThatEndsByItselfIsTold(t *testing.T) {
	defer goleak.VerifyNone(t)
	var s stack
	told := make(chan error, 1)
	s.spawn(func(context.Context) error { return errors.New("broken") }, func(err error) { told <- err })
	if err := <-told; err == nil || err.Error() != "broken" {
		t.Errorf("told %v", err)
	}
	if err := s.stop(); err == nil {
		t.Error("the error is lost at the stop")
	}
}

func TestEventsAreStoredWhenEveryLaneHasReachedItsTarget(t *testing.T) {
	targets := map[string]uint64{"a": 5, "b": 0}
	for _, c := range []struct {
		a, b uint64
		want bool
	}{{4, 9, false}, {5, 0, true}, {6, 0, true}} {
		lanes := []ingest.Lane{{Subject: "a", Settled: c.a}, {Subject: "b", Settled: c.b}, {Subject: "other"}}
		if got := reached(lanes, targets); got != c.want {
			t.Errorf("a at %d, b at %d: %v", c.a, c.b, got)
		}
	}
}

func TestProblemsAreListedAndThenCounted(t *testing.T) {
	var p problems
	for i := range 8 {
		p.add(capture.Problem{File: "x\x1b.jsonl", Line: i + 1, Reason: "not JSON"})
	}
	var b bytes.Buffer
	p.write(&b)
	want := `x\x1b.jsonl:1: not JSON
x\x1b.jsonl:2: not JSON
x\x1b.jsonl:3: not JSON
x\x1b.jsonl:4: not JSON
x\x1b.jsonl:5: not JSON
x\x1b.jsonl: 3 lines more left out
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestSinceTakesHoursAndDays(t *testing.T) {
	now := time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC)
	for s, want := range map[string]time.Duration{"90m": 90 * time.Minute, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "1.5d": 36 * time.Hour} {
		w, err := windowSince(s, now)
		if err != nil || now.Sub(w.From) != want || !w.To.Equal(now) {
			t.Errorf("%s: %v, %v", s, w, err)
		}
	}
	if w, err := windowSince("", now); err != nil || w != (finding.Window{}) {
		t.Errorf("nothing: %v, %v", w, err)
	}
	for _, s := range []string{"yesterday", "-1h", "0d", "d"} {
		if _, err := windowSince(s, now); err == nil {
			t.Errorf("%q is taken", s)
		}
	}
}

func TestOnlyLoopbackIsOpenWithoutAToken(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:0": true, "localhost:80": true, "[::1]:80": true, "127.8.0.1:1": true,
		"0.0.0.0:80": false, ":80": false, "[::]:80": false, "192.168.1.4:80": false, "example.org:80": false, "nonsense": false,
	} {
		if got := isLoopback(addr); got != want {
			t.Errorf("%s: %v", addr, got)
		}
	}
}

func TestProgressIsSilentWhereNobodyLooks(t *testing.T) {
	var b bytes.Buffer
	p := newProgress(&b, func(string) string { return "" })
	p.file("x")(1, 2)
	p.say("storing")
	p.clear()
	if b.Len() > 0 {
		t.Errorf("said %q", b.String())
	}
}

func TestProgressKeepsToOneLine(t *testing.T) {
	var b bytes.Buffer
	p := &progress{w: &b, width: 30}
	p.file("/some/where/a-file-with-a-rather-long-name.jsonl")(500_000, 2_000_000)
	p.clear()
	p.clear()
	if want := "\r\x1b[2Kreading a-file-with-a-rather…\r\x1b[2K"; b.String() != want {
		t.Errorf("have %q, want %q", b.String(), want)
	}
}
