package stream_test

import (
	"errors"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

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

func TestABucketThatIsDeletedWhileItIsOpenServesAgainOnceThereIsOne(t *testing.T) {
	cfg := config(serve(t, server.Options{}))
	b := bucket(t, cfg)
	change(t, b, "a.b", "1")
	js := connect(t, cfg)
	if err := js.DeleteKeyValue(t.Context(), b.Name()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Get(t.Context(), "a.b"); !errors.Is(err, jetstream.ErrBucketNotFound) {
		t.Errorf("get from none: have %v", err)
	}
	if _, err := b.Change(t.Context(), "a.b", func([]byte) ([]byte, error) { return []byte("2"), nil }); !errors.Is(err, jetstream.ErrBucketNotFound) {
		t.Errorf("change in none: have %v", err)
	}
	b2 := bucket(t, cfg) // makes it again
	change(t, b2, "a.b", "3")
	if e, err := b.Get(t.Context(), "a.b"); err != nil || string(e.Value) != "3" {
		t.Errorf("get from the new one: have %+v, %v", e, err)
	}
	change(t, b, "a.b", "4")
	if err := js.DeleteKeyValue(t.Context(), b.Name()); err != nil {
		t.Fatal(err)
	}
	change(t, bucket(t, cfg), "a.b", "5")
	if rev := change(t, b, "a.b", "6"); rev != 2 { // opened before, and nothing asked between
		t.Errorf("changed in revision %d of the third", rev)
	}
}
