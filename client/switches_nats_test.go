package client_test

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"golang.org/x/sync/errgroup"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

func TestTwoClientsSeeThatAToolIsDisabledAndEnabledWithinASecond(t *testing.T) {
	s := serve(t, server.Options{})
	js := open(t, s.ClientURL())
	clients := []*client.Client{knowing(t, config(s.ClientURL())), knowing(t, config(s.ClientURL()))}
	var longest time.Duration
	for range 10 {
		for _, to := range []struct {
			want   client.Refusal
			change func(*drift.Switch) (*drift.Switch, error)
		}{{client.RefusalDisabled, disable}, {"", enable}} {
			before := time.Now()
			set(t, js, to.change)
			for _, c := range clients {
				eventually(t, "the switch to be "+string(to.want), func() bool { return check(t, c) == to.want })
			}
			longest = max(longest, time.Since(before))
		}
	}
	t.Logf("both clients saw each of 20 changes within %v of its writing", longest)
	if longest > time.Second {
		t.Errorf("seen after %v", longest)
	}
}

func TestAfterARestartOfNATSTheSwitchesAreAsTheyAreNow(t *testing.T) {
	dir := t.TempDir()
	s, err := newServer(server.Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	address := s.ClientURL()
	set(t, open(t, address), disable)
	c := knowing(t, config(address))
	if have := check(t, c); have != client.RefusalDisabled {
		t.Fatalf("have %q", have)
	}
	stop(s)
	if have := check(t, c); have != client.RefusalDisabled {
		t.Errorf("without NATS: %q", have)
	}
	u, _ := url.Parse(address)
	port, _ := strconv.Atoi(u.Port())
	if s, err = newServer(server.Options{Port: port}, dir); err != nil {
		t.Fatal(err)
	}
	defer stop(s)
	set(t, open(t, address), enable)
	eventually(t, "the tool to be enabled", func() bool { return check(t, c) == "" })
}

func TestAClientThatCanNotKnowAllowsAndSaysSoOnce(t *testing.T) {
	limited := &server.User{Username: "agent", Password: "x", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Allow: []string{"tooltrail.>"}}}}
	all := &server.User{Username: "all", Password: "x"}
	for name, prepare := range map[string]func(t *testing.T) string{
		"no nats":   func(*testing.T) string { return "nats://127.0.0.1:1" },
		"no bucket": func(t *testing.T) string { return serve(t, server.Options{}).ClientURL() },
		"no permission": func(t *testing.T) string {
			s := serve(t, server.Options{Users: []*server.User{limited, all}})
			address := strings.TrimPrefix(s.ClientURL(), "nats://")
			open(t, "nats://all:x@"+address)
			return "nats://agent:x@" + address
		},
	} {
		t.Run(name, func(t *testing.T) {
			log := &countingLog{}
			for _, closed := range []bool{false, true} {
				cfg := config(prepare(t))
				cfg.FailClosed, cfg.Log = closed, slog.New(log)
				c := start(t, cfg)
				want := client.Refusal("")
				if closed {
					want = client.RefusalSwitchesUnknown
				}
				for range 100 {
					if have := check(t, c); have != want {
						t.Fatalf("fails closed: %t: have %q", closed, have)
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
				defer cancel()
				if err := c.WaitRegistry(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("have %v", err)
				}
				if _, err := c.Definition(search, "c"); !errors.Is(err, client.ErrRegistryUnknown) {
					t.Errorf("have %v", err)
				}
			}
			if n := log.warnings("bucket is not watched, will be tried again"); n > 4 {
				t.Errorf("%d warnings of 2 clients and 2 buckets", n)
			}
		})
	}
}

// countingLog counts warnings by message.
type countingLog struct {
	mu    sync.Mutex
	count map[string]int
}

func (l *countingLog) Enabled(context.Context, slog.Level) bool { return true }
func (l *countingLog) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *countingLog) WithGroup(string) slog.Handler            { return l }
func (l *countingLog) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == nil {
		l.count = map[string]int{}
	}
	if r.Level >= slog.LevelWarn {
		l.count[r.Message]++
	}
	return nil
}

func (l *countingLog) warnings(message string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count[message]
}

// probing is a disabled switch whose probe is due.
func probing(seconds float64) func(old *drift.Switch) (*drift.Switch, error) {
	return func(old *drift.Switch) (*drift.Switch, error) {
		sw, err := disable(old)
		if err == nil {
			sw.ProbeAfter, sw.ProbeSeconds = time.Now().Add(-time.Second), seconds
		}
		return sw, err
	}
}

func TestOfEightClientsOneGetsTheProbe(t *testing.T) {
	s := serve(t, server.Options{})
	js := open(t, s.ClientURL())
	set(t, js, probing(60))
	var clients []*client.Client
	for range 8 {
		clients = append(clients, knowing(t, config(s.ClientURL())))
	}
	var probes, refused atomic.Int64
	var g errgroup.Group
	for _, c := range clients {
		for range 4 {
			g.Go(func() error {
				for range 5 {
					k := c.ToolCallStart(events.Context{}, search.Tool, nil)
					k.ToolCall.Server = search.Server
					d, err := k.Check(t.Context())
					switch {
					case err == nil && d.Probe:
						probes.Add(1)
					case err == nil:
						return errors.New("a call went through that is no probe")
					default:
						refused.Add(1)
					}
				}
				return nil
			})
		}
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if probes.Load() != 1 || refused.Load() != 8*4*5-1 {
		t.Errorf("%d probes, %d refused", probes.Load(), refused.Load())
	}
	set(t, js, enable)
	for _, c := range clients {
		eventually(t, "the tool to be enabled", func() bool { return check(t, c) == "" })
	}
}

func TestAProbeWithoutAResultIsAnothersAfterItsTime(t *testing.T) {
	s := serve(t, server.Options{})
	js := open(t, s.ClientURL())
	set(t, js, probing(1))
	first, second := knowing(t, config(s.ClientURL())), knowing(t, config(s.ClientURL()))
	if have := check(t, first); have != "" {
		t.Fatalf("no probe: %q", have)
	}
	eventually(t, "the claim to be seen", func() bool { return check(t, second) == client.RefusalDisabled })
	before := time.Now()
	eventually(t, "the claim to end", func() bool { return check(t, second) == "" })
	if after := time.Since(before); after < 500*time.Millisecond {
		t.Errorf("claimed again after %v", after)
	}
}

func TestAProbeIsNotClaimedWithoutNATS(t *testing.T) {
	s := serve(t, server.Options{})
	set(t, open(t, s.ClientURL()), probing(60))
	c := knowing(t, config(s.ClientURL()))
	stop(s)
	eventually(t, "the loss to be noticed", func() bool { return !c.Stats().Connected })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	k := c.ToolCallStart(events.Context{}, search.Tool, nil)
	k.ToolCall.Server = search.Server
	if d, err := k.Check(ctx); err == nil || d.Probe {
		t.Errorf("have %+v, %v", d, err)
	}
	if ctx.Err() != nil {
		t.Error("it waited for NATS")
	}
}
