package client

import (
	"log/slog"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

// Version is the version of this client in its heartbeats: its module's, as built.
var Version = version()

func version() string {
	const module = "github.com/tooltrail/tooltrail"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == module && m.Version != "" {
				return m.Version
			}
		}
	}
	return "devel"
}

// heart is what the client says of itself.
type heart struct {
	id   string
	next time.Time
	// pending says that the last heartbeat is still on its way: a second one would say less.
	pending bool
	// told are the drops that the log has heard about.
	told       drops
	complained bool
}

// messageID names the client's nth message for JetStream's deduplication.
func (h *heart) messageID(n uint64) string { return h.id + "-" + strconv.FormatUint(n, 36) }

func newHeart() heart { return heart{id: uuid.NewString()} }

// complain logs the first unusable event since the last heartbeat; the reason quotes no value.
func (h *heart) complain(log *slog.Logger, r Reason, err error) {
	if !h.complained {
		h.complained = true
		log.Warn("event dropped", slog.String("reason", string(r)), slog.Any("error", err))
	}
}

// heartbeat puts a heartbeat in line and tells the log about losses.
func (s *sender) heartbeat(now time.Time) {
	s.beat.next = now.Add(s.cfg.HeartbeatEvery)
	s.beat.complained = false
	s.tellLosses()
	if s.beat.pending || s.cfg.NoHeartbeat {
		return
	}
	m, err := s.bat.single(&events.Event{Time: now, Data: s.health()})
	if err != nil {
		s.cfg.Log.Error("encode heartbeat", slog.Any("error", err))
		return
	}
	m.heartbeat, s.beat.pending = true, true
	s.enqueue(m)
}

// health says how the client does.
func (s *sender) health() *events.ClientHeartbeat {
	st := s.buf.stats()
	h := &events.ClientHeartbeat{
		ClientID: s.beat.id, ClientVersion: Version,
		Emitted: clamp(st.Emitted), Acked: clamp(st.Acked), QueueEvents: clamp(st.Queued), QueueBytes: max(st.QueuedBytes, 0),
	}
	for _, r := range reasons {
		if n := st.Dropped[r]; n > 0 {
			h.Dropped = append(h.Dropped, events.DropCount{Reason: string(r), Count: clamp(n)})
		}
	}
	if s.link != nil {
		h.Reconnects = clamp(s.link.reconnects())
	}
	return h
}

// clamp fits a count into what an event can say.
func clamp(n uint64) int64 { return int64(min(n, 1<<53-1)) } //nolint:gosec // bounded

func (s *sender) tellLosses() {
	s.buf.mu.Lock()
	now := s.buf.dropped
	s.buf.mu.Unlock()
	for i, r := range reasons {
		if n := now[i] - s.beat.told[i]; n > 0 {
			s.cfg.Log.Warn("events dropped", slog.String("reason", string(r)), slog.Uint64("events", n))
		}
	}
	s.beat.told = now
}
