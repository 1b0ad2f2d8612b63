package e2e

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/store"
)

// plan is how much a chaos test does: the full plan is make chaos, the short one runs with all tests.
type plan struct {
	ingesterKills, natsKills, engineKills int
	paused, away                          time.Duration
}

func chaosPlan() plan {
	if os.Getenv("TOOLTRAIL_CHAOS") == "full" {
		return plan{ingesterKills: 200, natsKills: 50, engineKills: 50, paused: 30 * time.Second, away: time.Minute}
	}
	return plan{ingesterKills: 6, natsKills: 2, engineKills: 2, paused: 4 * time.Second, away: 5 * time.Second}
}

// memoryLimitMB is what an ingester may take while the store is away.
const memoryLimitMB = 512

// site is a whole installation of real processes: NATS, the engine and ingesters.
type site struct {
	t            *testing.T
	nats, engine *process
	ingesters    []*process
}

func newSite(t *testing.T, ingesters int) *site {
	t.Helper()
	natsAddr, engineAddr := freeAddr(t), freeAddr(t)
	s := &site{
		t:      t,
		nats:   newProcess(t, "nats", natsAddr, nil, "tooltrail", "serve", "nats", "--data", t.TempDir(), "--listen", natsAddr),
		engine: newProcess(t, "engine", engineAddr, nil, "tooltrail", "serve", "engine", "--data", t.TempDir(), "--listen", engineAddr),
	}
	s.nats.start()
	s.engine.start()
	s.nats.waitReady()
	s.engine.waitReady()
	for range ingesters {
		addr := freeAddr(t)
		env := []string{"TOOLTRAIL_NATS=" + natsURL(natsAddr), "TOOLTRAIL_CLICKHOUSE=http://" + engineAddr}
		p := newProcess(t, "ingest", addr, env, "ingest", "-listen", addr)
		p.start()
		s.ingesters = append(s.ingesters, p)
	}
	for _, p := range s.ingesters {
		p.waitReady()
	}
	return s
}

// openStore connects to the engine, migrated.
func (s *site) openStore(ctx context.Context) *store.DB {
	s.t.Helper()
	cfg := store.DefaultConfig()
	cfg.Address = "http://" + s.engine.ready
	db, err := store.Open(ctx, cfg)
	if err != nil {
		s.t.Fatalf("open store: %v", err)
	}
	s.t.Cleanup(func() { db.Close() })
	return db
}

// check waits until the ingesters have caught up, and then holds what is stored against what was acknowledged.
func (s *site) check(l *load) {
	s.t.Helper()
	l.end()
	ctx := s.t.Context()
	db := s.openStore(ctx)
	waitFor(s.t, 3*time.Minute, "every acknowledged event to be stored", func() bool {
		return len(l.missing(storedIDs(s.t, db))) == 0
	})
	stored := storedIDs(s.t, db)
	rows := 0
	for id, n := range stored {
		rows += n
		if n != 1 {
			s.t.Errorf("event %s is stored %d times", id, n)
		}
		if !l.tried[id] {
			s.t.Errorf("event %s is stored and was never sent", id)
		}
	}
	r := analyze(s.t, db)
	if got := r.Events["tool_call"]; got != int64(len(stored)) || r.Calls.Total != got {
		s.t.Errorf("the analyzer counts %d tool_call events and %d calls, want %d", got, r.Calls.Total, len(stored))
	}
	perTool := 0
	for _, t := range r.Drift.Tools {
		if t.Model == "" || t.Model == "claude-sonnet-4-5" {
			perTool += int(t.Calls)
		}
	}
	s.t.Logf("acknowledged %d, tried %d, stored %d rows of %d ids; analyzer: %d calls, by tool %d, dead letters %d",
		len(l.acked), len(l.tried), rows, len(stored), r.Calls.Total, perTool, r.DeadLetters)
	if l.ackedCount() == 0 {
		s.t.Error("nothing was acknowledged: the test tried nothing")
	}
}

func (l *load) missing(stored map[uuid.UUID]int) []uuid.UUID {
	var out []uuid.UUID
	for id := range l.acked {
		if stored[id] == 0 {
			out = append(out, id)
		}
	}
	return out
}

func storedIDs(t *testing.T, db *store.DB) map[uuid.UUID]int {
	t.Helper()
	ids := map[uuid.UUID]int{}
	var row struct {
		ID uuid.UUID `ch:"id"`
	}
	err := db.Each(t.Context(), "SELECT id FROM tool_calls", nil, &row, func() error {
		ids[row.ID]++
		return nil
	})
	if err != nil {
		t.Logf("read stored ids: %v", err)
	}
	return ids
}

func analyze(t *testing.T, db *store.DB) analyzer.Report {
	t.Helper()
	a, err := analyzer.New(analyzer.DefaultConfig(), db, nil, nil, metrics.NewAnalyzer(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatalf("make analyzer: %v", err)
	}
	r, err := a.Once(t.Context(), finding.Window{})
	if err != nil {
		t.Fatalf("analyze: %v", err)
	}
	return r
}

// TestChaosKills kills ingester, nats-server and engine at random moments under load, in random order.
func TestChaosKills(t *testing.T) {
	p := chaosPlan()
	s := newSite(t, 1)
	l := startLoad(t, natsURL(s.nats.ready), 40*time.Millisecond)
	var victims []*process
	for range p.ingesterKills {
		victims = append(victims, s.ingesters[0])
	}
	for range p.natsKills {
		victims = append(victims, s.nats)
	}
	for range p.engineKills {
		victims = append(victims, s.engine)
	}
	rng := rand.New(rand.NewPCG(11, uint64(time.Now().UnixNano()))) //nolint:gosec // moments of kills
	rng.Shuffle(len(victims), func(i, j int) { victims[i], victims[j] = victims[j], victims[i] })
	for i, v := range victims {
		pause(t.Context(), time.Duration(rng.Int64N(int64(2*time.Second))))
		v.kill()
		v.start()
		v.waitReady()
		if i%25 == 24 {
			t.Logf("%d of %d kills, %d events acknowledged", i+1, len(victims), l.ackedCount())
		}
	}
	s.check(l)
}

// TestChaosTwoIngesters runs two ingesters on one partition and pauses one of them for longer than any timeout.
func TestChaosTwoIngesters(t *testing.T) {
	p := chaosPlan()
	s := newSite(t, 2)
	l := startLoad(t, natsURL(s.nats.ready), 20*time.Millisecond)
	pause(t.Context(), 2*time.Second)
	for _, v := range s.ingesters {
		v.signal(syscall.SIGSTOP)
		pause(t.Context(), p.paused)
		v.signal(syscall.SIGCONT)
		pause(t.Context(), time.Second)
	}
	s.check(l)
}

// TestChaosStoreAway takes ClickHouse away under load: the ingester's memory stays bounded, and nothing is lost.
func TestChaosStoreAway(t *testing.T) {
	p := chaosPlan()
	s := newSite(t, 1)
	l := startLoad(t, natsURL(s.nats.ready), time.Millisecond)
	pause(t.Context(), 2*time.Second)
	s.engine.kill()
	pause(t.Context(), p.away)
	peak := s.ingesters[0].peakMB()
	s.engine.start()
	s.engine.waitReady()
	s.check(l)
	t.Logf("the ingester's peak memory: %d MB while the store was away, %d MB in all", peak, s.ingesters[0].peakMB())
	if got := s.ingesters[0].peakMB(); got >= memoryLimitMB {
		t.Errorf("the ingester took %d MB, want under %d", got, memoryLimitMB)
	}
}
