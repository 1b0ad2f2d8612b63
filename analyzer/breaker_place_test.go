package analyzer_test

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// impossible are places that a stream has not come to.
func impossible(epoch string) map[string]drift.Place {
	return map[string]drift.Place{
		"behind the stream's end": {Epoch: epoch, Seq: 1 << 60},
		"of a later stream":       {Epoch: "9" + epoch, Seq: 1},
		"of no stream":            {Epoch: "yesterday, at noon, or so", Seq: 7},
	}
}

func TestACheckpointThatTheStreamHasNotComeToIsReplaced(t *testing.T) {
	s := startNATS(t)
	js := s.connect()
	last := sendCalls(t, js, "ok")
	for name, place := range impossible(epochOf(t, js)) {
		t.Run(name, func(t *testing.T) {
			poison := func() {
				t.Helper()
				data, _, err := drift.BreakerState{Place: place}.Encode(1 << 10)
				if err != nil {
					t.Fatal(err)
				}
				put(t, js, stream.BreakerBucket, string(data), "_checkpoint")
			}
			replaced := func(at uint64) {
				t.Helper()
				eventually(t, "a checkpoint at the end", func() bool {
					return checkpoint(t, js).Place == drift.Place{Epoch: epochOf(t, js), Seq: at}
				})
			}
			poison()
			b := runBreaker(t, s)
			replaced(last)
			poison()
			last = sendCalls(t, js, "ok")
			replaced(last)
			b.stop(t)
		})
	}
}

func TestASwitchOfAPlaceThatTheStreamHasNotComeToKeepsTheBreakerDeafNoLonger(t *testing.T) {
	for name, running := range map[string]bool{"before it starts": false, "while it runs": true} {
		t.Run(name, func(t *testing.T) {
			s := startNATS(t)
			js := s.connect()
			sendCalls(t, js, "ok")
			for name, place := range impossible(epochOf(t, js)) {
				poison := func() {
					edit(t, js, orderKey, func(sw *drift.Switch) {
						sw.State, sw.By, sw.Epoch, sw.Seq = drift.SwitchEnabled, "ada", place.Epoch, place.Seq
					})
				}
				if !running {
					poison()
				}
				b := runBreaker(t, s)
				awaitRead(t, js)
				if running {
					poison()
				}
				eventually(t, name+": the place is mended", func() bool { return switchOf(t, js).Place() != place })
				awaitState(t, js, drift.SwitchDisabled, sendCalls(t, js, "err err err"))
				b.stop(t)
			}
		})
	}
}

func epochOf(t *testing.T, js jetstream.JetStream) string {
	t.Helper()
	s, err := js.Stream(t.Context(), stream.Name)
	if err != nil {
		t.Fatal(err)
	}
	return stream.EpochOf(s.CachedInfo())
}
