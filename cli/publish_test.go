package cli

import (
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tooltrail/tooltrail/embedded"
	"github.com/tooltrail/tooltrail/events"
)

func TestFindingsArePublishedOutsideTheEventStream(t *testing.T) {
	cfg := embedded.DefaultNATSConfig(t.TempDir())
	cfg.Listen = anyPort
	server, err := embedded.StartNATS(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Shutdown(t.Context()) })
	var stops stack
	defer func() {
		if err := stops.stop(); err != nil {
			t.Error(err)
		}
	}()
	set := settings{getenv: func(string) string { return "" }}
	nc, js, err := set.openStream(t.Context(), server.URL(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	sub, err := nc.SubscribeSync(events.FindingsSubject)
	if err != nil {
		t.Fatal(err)
	}
	if err := (publisher{&backend{nc: nc, js: js}}).Publish(t.Context(), events.FindingsSubject, []byte(`{"rule":"x"}`)); err != nil {
		t.Fatal(err)
	}
	var msg *nats.Msg
	if msg, err = sub.NextMsg(time.Minute); err != nil || string(msg.Data) != `{"rule":"x"}` {
		t.Errorf("have %v, %v", msg, err)
	}
	s, err := js.Stream(t.Context(), "TOOLTRAIL")
	if err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Msgs; n != 0 {
		t.Errorf("the event stream holds %d messages", n)
	}
}
