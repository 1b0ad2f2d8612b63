package stream_test

import (
	"errors"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tooltrail/tooltrail/stream"
)

func TestAKeyIsTakenAwayUnlessSomebodyChangedIt(t *testing.T) {
	b := bucket(t, config(serve(t, server.Options{})))
	if err := b.Delete(t.Context(), "a.b", 1); !errors.Is(err, stream.ErrNoKey) {
		t.Errorf("a key that never was: have %v", err)
	}
	first := change(t, b, "a.b", "1")
	second := change(t, b, "a.b", "2")
	if err := b.Delete(t.Context(), "a.b", first); !errors.Is(err, stream.ErrChanged) {
		t.Errorf("a former revision: have %v", err)
	}
	if err := b.Delete(t.Context(), "a.b", second); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), "a.b"); !errors.Is(err, stream.ErrNoKey) {
		t.Errorf("afterwards: have %v", err)
	}
	if err := b.Delete(t.Context(), "a.b", second); !errors.Is(err, stream.ErrNoKey) {
		t.Errorf("again: have %v", err)
	}
	all, err := b.History(t.Context(), "a.b")
	if err != nil || len(all) != 3 || !all[2].Deleted || string(all[1].Value) != "2" {
		t.Errorf("the history has %+v, %v", all, err)
	}
	if change(t, b, "a.b", "3") == 0 {
		t.Error("it can't be made again")
	}
}
