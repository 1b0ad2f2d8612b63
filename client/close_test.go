package client

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	stdstrings "strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// logged returns a logger and what it has written, at debug and above.
func logged() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})), &b
}

func TestCloseReturnsThoughItsContextHasNoDeadline(t *testing.T) {
	for name, c := range map[string]struct {
		events int
		answer func(int, *nats.Msg) (error, bool)
		away   bool
		want   string
		within time.Duration
	}{
		"NATS is away":            {3, nil, true, "3 events not acknowledged", 10 * time.Second},
		"one event":               {1, nil, true, "1 event not acknowledged", 10 * time.Second},
		"NATS never answers":      {3, never, false, "3 events not acknowledged", 10 * time.Second},
		"there is no stream":      {3, func(int, *nats.Msg) (error, bool) { return jetstream.ErrNoStreamResponse, true }, false, "3 events not acknowledged", 10 * time.Second},
		"nothing to send":         {0, nil, true, "", 0},
		"a heartbeat that is due": {0, never, false, "", farewellWait},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log, said := logged()
				cl, l := fake(t, func(cfg *Config) { cfg.Log = log }, c.answer)
				if c.away {
					l.leave()
				}
				for range c.events {
					cl.Emit(call("a"))
				}
				began := time.Now()
				err := cl.Close(context.Background())
				if took := time.Since(began); took != c.within {
					t.Errorf("took %v, want %v", took, c.within)
				}
				if c.want == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				if !errors.Is(err, ErrUnacked) || !errors.Is(err, context.DeadlineExceeded) || !stdstrings.Contains(err.Error(), c.want) ||
					!stdstrings.Contains(err.Error(), "close timeout of 10s") {
					t.Errorf("have %v", err)
				}
				if !stdstrings.Contains(said.String(), "level=WARN msg=\"events dropped\" reason=unacked events=") {
					t.Errorf("the log does not say so: %s", said)
				}
			})
		})
	}
}

func TestTheContextsOwnDeadlineGoesBeforeTheCloseTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, l := fake(t, nil, nil)
		l.leave()
		c.Emit(call("a"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if err := c.Close(ctx); !errors.Is(err, ErrUnacked) || time.Since(began) != time.Minute {
			t.Errorf("have %v after %v", err, time.Since(began))
		}
	})
}

// While somebody dials an address that swallows packets, or the socket takes nothing, Close returns all the same.
func TestCloseDoesNotWaitForWhoeverHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := fake(t, nil, never)
		hang := make(chan struct{})
		c.dialed.Go(func() { <-hang })
		c.Emit(call("a"))
		began := time.Now()
		err := c.Close(context.Background())
		if took := time.Since(began); took != 10*time.Second+closeGrace || !errors.Is(err, ErrUnacked) {
			t.Errorf("have %v after %v", err, took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
		close(hang)
	})
}

func TestACloseThatCanNeverSendDoesNotWait(t *testing.T) {
	cfg := DefaultConfig()
	log, said := logged()
	cfg.Log, cfg.NATS.URL = log, "nats://127.0.0.1:no-port"
	c, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Emit(call("a"))
	c.dialed.Wait()
	if err := c.Close(context.Background()); !errors.Is(err, ErrUnacked) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("have %v", err)
	}
	if !stdstrings.Contains(said.String(), "level=ERROR msg=\"client can not publish\"") {
		t.Errorf("the log says %s", said)
	}
}

func TestWithoutALogWarningsGoToTheProgramsOwn(t *testing.T) {
	log, said := logged()
	old := slog.Default()
	slog.SetDefault(log)
	defer slog.SetDefault(old)
	cfg := DefaultConfig()
	cfg.NATS.URL, cfg.CloseTimeout = "nats://bob:hunter2@127.0.0.1:1", 50*time.Millisecond
	c, err := Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.Emit(call("private"))
	c.dialed.Wait()
	_ = c.Close(context.Background())
	for _, want := range []string{`"nats is not reached yet, events wait" servers=[127.0.0.1:1]`, `"events dropped" reason=unacked events=1`} {
		if !stdstrings.Contains(said.String(), want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	for _, no := range []string{"hunter2", "private", "level=INFO", "level=DEBUG"} {
		if stdstrings.Contains(said.String(), no) {
			t.Errorf("the log has %s", no)
		}
	}
	if t.Failed() {
		t.Log(said)
	}
}

func TestTheFirstFailureIsAWarningAndThoseThatFollowAreNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, said := logged()
		c, _ := fake(t, func(cfg *Config) { cfg.Log = log }, func(n int, _ *nats.Msg) (error, bool) {
			if n < 5 {
				return jetstream.ErrNoStreamResponse, true
			}
			return nil, true
		})
		c.Emit(call("a"))
		closeNow(t, c)
		if n := stdstrings.Count(said.String(), "level=WARN"); n != 1 {
			t.Errorf("%d warnings: %s", n, said)
		}
	})
}
