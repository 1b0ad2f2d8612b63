package service_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/cmd/internal/service"
	"github.com/tooltrail/tooltrail/store"
)

func TestHelpSaysWhatTheProgramIsAboutItsFlagsAndItsEnvironment(t *testing.T) {
	var out bytes.Buffer
	fs := flag.NewFlagSet("p", flag.ContinueOnError)
	fs.SetOutput(&out)
	fs.Int("n", 7, "some `number`")
	if err := service.Parse(fs, []string{"-h"}, "p does it.", "\nEnvironment:\n"+service.ServerHelp); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	want := "p does it.\n\nFlags:\n  -n number\n    \tsome number (default 7)\n\nEnvironment:\n" + service.ServerHelp
	if out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestMoreThanFlagsIsAnError(t *testing.T) {
	fs := flag.NewFlagSet("p", flag.ContinueOnError)
	if err := service.Parse(fs, []string{"stray"}, "", ""); err == nil || !strings.Contains(err.Error(), "stray") {
		t.Error(err)
	}
}

// logged hands on each line of a log.
type logged chan string

func (l logged) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

func TestServingEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	lines, done := make(logged, 1), make(chan error, 1)
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") })
	go func() { done <- service.Serve(ctx, "127.0.0.1:0", h, service.Logger(lines, slog.LevelInfo)) }()
	_, rest, _ := strings.Cut(<-lines, `"address":"`)
	addr, _, _ := strings.Cut(rest, `"`)
	resp, err := http.Get("http://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != "here" {
		t.Errorf("%q, %v", body, err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestAnAddressThatCannotBeListenedOnIsAnError(t *testing.T) {
	if err := service.Serve(t.Context(), "nowhere", nil, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("no error")
	}
}

func TestAStoreThatIsAwayIsTriedAgainByEachCall(t *testing.T) {
	cfg := store.DefaultConfig()
	cfg.Address, cfg.DialTimeout = "http://127.0.0.1:1", time.Second
	s := service.NewStore(cfg, nil, slog.New(slog.DiscardHandler))
	defer s.Close()
	for range 2 {
		if _, err := s.Open(t.Context()); err == nil {
			t.Error("it is open")
		}
	}
}
