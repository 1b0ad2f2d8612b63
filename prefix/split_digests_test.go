package prefix

import (
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func TestHowManyDigestABodyDoesNotShow(t *testing.T) {
	body := largeBody(t)
	for _, d := range []events.Digester{{}, {Key: []byte("a key of an agent")}} {
		var want *Request
		for _, n := range []int{1, 2, 3, maxHashers, maxHashers + 1} {
			before := runtime.GOMAXPROCS(n)
			got, err := Split("anthropic", body, d)
			runtime.GOMAXPROCS(before)
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
				continue
			}
			if d := cmp.Diff(want.Messages, got.Messages) + cmp.Diff(want.System, got.System); d != "" {
				t.Errorf("%d: (-one +more):\n%s", n, d)
			}
		}
		if len(want.Messages) == 0 || want.Messages[0] == "" || want.Messages[len(want.Messages)-1] == "" {
			t.Errorf("messages %v", want.Messages)
		}
	}
}

func TestAPartThatIsThereTwiceIsDigestedOnce(t *testing.T) {
	once, err := Split("anthropic", []byte(`{"messages":[{"role":"user","content":"b"},{"role":"user","content":"c"}]}`), events.Digester{})
	if err != nil {
		t.Fatal(err)
	}
	twice, err := Split("anthropic", []byte(`{"messages":[{"role":"user","content":"a","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"b"},{"role":"user","content":"c"}]}`), events.Digester{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(once.Messages, twice.Messages); d != "" || len(once.Messages) != 2 {
		t.Errorf("(-once +twice):\n%s", d)
	}
}
