package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
)

// ofLibrary is a goroutine of nats.go v1.55.0 that sometimes outlasts its publisher: CleanupPublisher takes away the
// channel that it waits on, and where it had not begun to wait by then it waits on none. Nothing of ours can end it.
var ofLibrary = goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect")

// TestMain finds goroutines that were left.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, ofLibrary) }

func TestEventsReachTheStreamAndCloseWaitsForThem(t *testing.T) {
	s := serve(t, server.Options{})
	js := open(t, s.ClientURL())
	c := start(t, config(s.ClientURL()))
	const n = 5000
	for i := range n {
		c.Emit(event(i))
	}
	if err := c.Close(longer(t)); err != nil {
		t.Fatal(err)
	}
	names, msgs := stored(t, js)
	once(t, names, n)
	if msgs > n/100 {
		t.Errorf("%d messages for %d events", msgs, n)
	}
	if st := c.Stats(); st.Acked != n || st.Queued != 0 {
		t.Errorf("have %+v", st)
	}
}

func TestPublishedEventsAreStoredWhenItReturns(t *testing.T) {
	s := serve(t, server.Options{})
	js := open(t, s.ClientURL())
	c := start(t, config(s.ClientURL()))
	var evs []*events.Event
	for i := range 2000 {
		evs = append(evs, event(i))
	}
	if err := c.Publish(longer(t), evs...); err != nil {
		t.Fatal(err)
	}
	names, _ := stored(t, js)
	once(t, names, len(evs))
}

func TestAnAgentStartsWithoutNATSAndItsEventsArriveLater(t *testing.T) {
	s := serve(t, server.Options{})
	address := s.ClientURL()
	stop(s)
	c := start(t, config(address))
	for i := range 1000 {
		c.Emit(event(i))
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	port, _ := strconv.Atoi(u.Port())
	late := serve(t, server.Options{Port: port})
	js := open(t, late.ClientURL()) // for a moment there is a server and no stream
	if err := c.Flush(longer(t)); err != nil {
		t.Fatal(err)
	}
	names, _ := stored(t, js)
	once(t, names, 1000)
}

func TestCloseWithoutNATSSaysHowManyEventsAreLost(t *testing.T) {
	s := serve(t, server.Options{})
	address := s.ClientURL()
	stop(s)
	c := start(t, config(address))
	for i := range 10 {
		c.Emit(event(i))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := c.Close(ctx)
	if !errors.Is(err, client.ErrUnacked) || !strings.Contains(err.Error(), "10 events") {
		t.Errorf("have %v", err)
	}
	if err := c.Close(ctx); err != nil {
		t.Errorf("closing again: %v", err)
	}
}

func TestThroughRestartsOfTheServerEveryAckedEventIsStoredOnce(t *testing.T) {
	dir := t.TempDir()
	s, err := newServer(server.Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	address := s.ClientURL()
	u, _ := url.Parse(address)
	port, _ := strconv.Atoi(u.Port())
	js := open(t, address)
	cfg := config(address)
	cfg.BatchEvents, cfg.AckWait = 20, 500*time.Millisecond
	c := start(t, cfg)
	const rounds, each = 4, 2000
	for round := range rounds {
		for i := range each {
			c.Emit(event(round*each + i))
		}
		waitAcked(t, c, uint64(round*each+1)) // some are under way
		stop(s)
		if s, err = newServer(server.Options{Port: port}, dir); err != nil {
			t.Fatal(err)
		}
	}
	defer func() { stop(s) }()
	if err := c.Close(longer(t)); err != nil {
		t.Fatal(err)
	}
	names, _ := stored(t, js)
	once(t, names, rounds*each)
	if st := c.Stats(); st.Acked != rounds*each {
		t.Errorf("have %+v", st)
	}
}

func TestMessagesFitTheServersLimit(t *testing.T) {
	s := serve(t, server.Options{MaxPayload: 8 << 10})
	js := open(t, s.ClientURL())
	c := start(t, config(s.ClientURL()))
	large := event(1000)
	large.Data.(*events.ToolCall).Arguments = []byte(`{"x":"` + strings.Repeat("x", 9<<10) + `"}`)
	c.Emit(large)
	for i := range 1000 {
		c.Emit(event(i))
	}
	if err := c.Flush(longer(t)); err != nil && !errors.Is(err, client.ErrUnacked) {
		t.Fatal(err)
	}
	names, _ := stored(t, js)
	once(t, names, 1000)
	if st := c.Stats(); st.Dropped[client.TooLarge] != 1 || st.Acked != 1000 {
		t.Errorf("have %+v", st)
	}
}

func TestAConnectionOfTheAgentsOwnIsUsedAndLeftOpen(t *testing.T) {
	s := serve(t, server.Options{})
	js := open(t, s.ClientURL())
	nc, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	cfg := config("")
	cfg.Conn = nc
	c := start(t, cfg)
	if err := c.Publish(longer(t), event(0)); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(longer(t)); err != nil {
		t.Fatal(err)
	}
	if nc.IsClosed() {
		t.Error("the connection was closed")
	}
	names, _ := stored(t, js)
	once(t, names, 1)
}

func TestWrongSettingsAreNamed(t *testing.T) {
	for want, change := range map[string]func(*client.Config){
		"nats url":         func(c *client.Config) { c.NATS.URL = "" },
		"partitions":       func(c *client.Config) { c.Partitions = 0 },
		"buffer bytes":     func(c *client.Config) { c.BufferBytes = -1 },
		"duplicate window": func(c *client.Config) { c.RetryFor = c.NATS.Duplicates / 2 },
		"for switches":     func(c *client.Config) { c.SwitchesFor = 0 },
		"refuse every":     func(c *client.Config) { c.NoRegistry, c.FailClosed = true, true },
	} {
		cfg := client.DefaultConfig()
		change(&cfg)
		if _, err := client.Start(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, have %v", want, err)
		}
	}
}

func Example() {
	s, dir, err := exampleServer()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dir()
	defer stop(s)

	cfg := client.DefaultConfig()
	cfg.NATS.URL = s.ClientURL()
	cfg.Context = events.Context{AgentName: "billing-agent", AgentVersion: "2.4.1", Environment: "production"}
	c, err := client.Start(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}

	about := events.Context{ConversationID: "conv-7f3a", Turn: 4, RequestModel: "claude-sonnet-4-5"}
	call := c.ToolCallStart(about, "search_invoices", []byte(`{"query":"open","limit":10}`))
	// ... run the tool ...
	call.End(events.OutcomeOK, "")

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.Close(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(c.Stats().Acked, "acknowledged")
	// Output: 1 acknowledged
}
