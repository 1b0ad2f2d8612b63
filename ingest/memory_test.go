package ingest_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

// memory is a store that does what the real one promises, and breaks as a test wants. The tests of the real one are beside.
type memory struct {
	mu     sync.Mutex
	rows   map[string][]events.Row
	tokens map[string]bool
	// inserts counts calls of Insert; most is the most rows in one.
	inserts, most int
	// fault, when set, decides what becomes of an insert.
	fault func(n int, rows []events.Row) fault
}

// fault is what becomes of an insert: its rows are stored or not, then err is returned.
type fault struct {
	lose bool
	err  error
	// wait blocks the insert until it is closed or the context ends.
	wait chan struct{}
}

var errAway = errors.New("connection refused")

type refusal struct{}

func (refusal) Error() string   { return "insert: server error 27: bad row" }
func (refusal) Permanent() bool { return true }

func newMemory() *memory {
	return &memory{rows: make(map[string][]events.Row), tokens: make(map[string]bool)}
}

func (m *memory) setFault(f func(n int, rows []events.Row) fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fault = f
}

func (m *memory) Position(_ context.Context, lane string) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.position(lane), nil
}

func (m *memory) position(lane string) uint64 {
	if l := m.rows[lane]; len(l) > 0 {
		return l[len(l)-1].Seq
	}
	return 0
}

func (m *memory) RecentIDs(_ context.Context, lane string, n int, above uint64) ([]uuid.UUID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ids []uuid.UUID
	l := m.rows[lane]
	for i := len(l) - 1; i >= 0 && len(ids) < n && l[i].Seq > above; i-- {
		ids = append(ids, uuid.MustParse(l[i].Event.ID))
	}
	return ids, nil
}

func (m *memory) Insert(ctx context.Context, lane, token string, rows []events.Row) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inserts++
	m.most = max(m.most, len(rows))
	var f fault
	if m.fault != nil {
		f = m.fault(m.inserts, rows)
	}
	if f.wait != nil {
		m.mu.Unlock()
		select {
		case <-f.wait:
		case <-ctx.Done():
			f = fault{lose: true, err: ctx.Err()}
		}
		m.mu.Lock()
	}
	if !f.lose && !m.tokens[token] {
		m.tokens[token] = true
		m.rows[lane] = append(m.rows[lane], append([]events.Row(nil), rows...)...)
	}
	return f.err
}

// of returns the rows of all lanes of a subject.
func (m *memory) of(subject string) []events.Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	var rows []events.Row
	for lane, l := range m.rows {
		if strings.HasSuffix(lane, "/"+subject) {
			rows = append(rows, l...)
		}
	}
	return rows
}

func (m *memory) count(subject string) int { return len(m.of(subject)) }

func (m *memory) letters() []*events.DeadLetter {
	var l []*events.DeadLetter
	for _, r := range m.of(events.DeadLetterSubject) {
		l = append(l, r.Event.Data.(*events.DeadLetter))
	}
	return l
}

// wantOnce fails unless the calls from 0 to n are stored, each once.
func wantOnce(t testing.TB, m *memory, n int) {
	t.Helper()
	seen := make(map[string]int)
	for _, r := range m.of(callSubject) {
		seen[r.Event.ID]++
	}
	missing, twice := 0, 0
	for i := range n {
		switch seen[callID(i).String()] {
		case 0:
			missing++
		case 1:
		default:
			twice++
		}
	}
	if missing > 0 || twice > 0 || len(seen) != n {
		t.Fatalf("of %d events %d are missing and %d are there more than once; %d ids are stored", n, missing, twice, len(seen))
	}
}

// rowsUpTo returns one row at a sequence.
func rowsUpTo(seq uint64) []events.Row {
	return []events.Row{{Seq: seq, Event: &events.Event{ID: callID(0).String(), Data: &events.ToolCall{}}}}
}
