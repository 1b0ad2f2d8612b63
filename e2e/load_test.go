package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
)

// load publishes events with the real client, and remembers which of them were acknowledged.
type load struct {
	t      *testing.T
	client *client.Client
	wg     sync.WaitGroup
	stop   context.CancelFunc

	mu sync.Mutex
	// acked were acknowledged; tried were sent and may have been stored all the same.
	acked, tried map[uuid.UUID]bool
}

// publishers is how many goroutines publish.
const publishers = 4

// startLoad begins to publish messages of one to twenty events, with pauses of up to maxPause.
func startLoad(t *testing.T, natsURL string, maxPause time.Duration) *load {
	t.Helper()
	cfg := client.DefaultConfig()
	cfg.NATS.URL = natsURL
	cfg.AckWait = 2 * time.Second
	cfg.Context.AgentName = "chaos"
	c, err := client.Start(cfg)
	if err != nil {
		t.Fatalf("start client: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	l := &load{t: t, client: c, stop: stop, acked: map[uuid.UUID]bool{}, tried: map[uuid.UUID]bool{}}
	for n := range publishers {
		l.wg.Go(func() { l.publish(ctx, n, maxPause) })
	}
	t.Cleanup(func() { l.end() })
	return l
}

func (l *load) publish(ctx context.Context, n int, maxPause time.Duration) {
	rng := rand.New(rand.NewPCG(uint64(n), 7)) //nolint:gosec // a load wants the same numbers every time
	for i := 0; ctx.Err() == nil; i++ {
		evs := make([]*events.Event, 1+rng.IntN(20))
		for j := range evs {
			evs[j] = chaosEvent(n, i, j)
		}
		// A publisher gives a message up only long after every kill that it can meet.
		work, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
		err := l.client.Publish(work, evs...)
		cancel()
		l.remember(evs, err)
		pause(ctx, time.Duration(rng.Int64N(int64(maxPause))))
	}
}

func (l *load) remember(evs []*events.Event, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range evs {
		id := uuid.MustParse(e.ID)
		l.tried[id] = true
		if err == nil {
			l.acked[id] = true
		}
	}
}

// end stops the publishers after their last acknowledgement and closes the client.
func (l *load) end() {
	l.stop()
	l.wg.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_ = l.client.Close(ctx) // Publish has said what was acknowledged
}

func (l *load) ackedCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acked)
}

func chaosEvent(publisher, i, j int) *events.Event {
	return &events.Event{
		ID: uuid.Must(uuid.NewV7()).String(), Source: "/agents/chaos", Time: time.Now(),
		Data: &events.ToolCall{
			Context: events.Context{
				AgentName: "chaos", ConversationID: fmt.Sprintf("conv-%d-%d", publisher, i/20), Turn: int64(j + 1), RequestModel: "claude-sonnet-4-5",
			},
			ToolName: fmt.Sprintf("tool_%d", j%7), Server: "orders", Outcome: events.OutcomeOK, DriftClass: events.DriftCurrent,
			Resolution: events.ResolvedOK, DurationSeconds: 0.25, OutputTokens: events.Tokens(80),
		},
	}
}

// natsURL is the address as a URL.
func natsURL(addr string) string { return "nats://" + addr }
