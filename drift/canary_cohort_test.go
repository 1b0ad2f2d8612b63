package drift

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestACanaryChoosesByTheHashOfKeyAndConversation(t *testing.T) {
	// The first 8 bytes of the SHA-256 of "k/conv-1" and so on, over 2^64, reckoned by another program.
	for conversation, at := range map[string]float64{"conv-1": 0.345250866277, "conv-2": 0.158579380265, "é": 0.952494657145} {
		under, over := &Canary{HashKey: "k", Share: at + 1e-9}, &Canary{HashKey: "k", Share: at - 1e-9}
		if !under.Chooses(conversation) || over.Chooses(conversation) {
			t.Errorf("%s is not at %v", conversation, at)
		}
	}
}

func TestACanaryGetsItsShareOfConversations(t *testing.T) {
	const n = 20_000
	for _, share := range []float64{0.01, 0.10, 0.5, 0.99} {
		c := &Canary{HashKey: "shop/process_order/v2", Share: share}
		got := 0
		for i := range n {
			if c.Chooses(fmt.Sprintf("conversation-%d", i)) {
				got++
			}
		}
		if limit := 4 * math.Sqrt(share*(1-share)*n); math.Abs(float64(got)-share*n) > limit {
			t.Errorf("share %v: %d of %d", share, got, n)
		}
	}
}

func TestACanaryThatGrowsKeepsItsConversations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		small := rapid.Float64Range(0, 1).Draw(t, "small")
		large := rapid.Float64Range(small, 1).Draw(t, "large")
		conversation := rapid.StringN(1, 40, 80).Draw(t, "conversation")
		is, was := &Canary{HashKey: "k", Share: large}, &Canary{HashKey: "k", Share: small}
		if was.Chooses(conversation) && !is.Chooses(conversation) {
			t.Fatal("it left")
		}
	})
}

func TestACanaryOfAllOrNone(t *testing.T) {
	if c := (&Canary{Share: 1}); !c.Chooses("x") || c.Chooses("") {
		t.Error("a share of 1 is all conversations, and a call of none is of none")
	}
	if c := (&Canary{}); c.Chooses("x") {
		t.Error("a share of 0 is none")
	}
	if (*Canary)(nil).Chooses("x") {
		t.Error("no canary")
	}
}

// canaryTests are edits of a document that have to do with canaries, see TestPeopleMoveVersionsFromStateToState.
func canaryTests(t *testing.T) []editTest {
	return []editTest{
		{"a canary starts", func(d *Document) (bool, error) { return d.StartCanary("v1", 0, "", ann) },
			"v1 canary, v2 active", func(d *Document) bool {
				return d.Canary.Share == DefaultCanaryShare && d.Canary.HashKey != "" && d.Canary.StartedAt.Equal(ann.At) && d.Managed
			}},
		{"the active version is no canary", func(d *Document) (bool, error) { return d.StartCanary("v2", 0, "", ann) }, "error: active already", always},
		{"a canary of more than all", func(d *Document) (bool, error) { return d.StartCanary("v1", 1.5, "", ann) }, "error: /canary/share", always},
		{"a second canary", func(d *Document) (bool, error) {
			_, _ = d.StartCanary("v1", 0, "", ann)
			return d.StartCanary("v1", 0, "", ann)
		}, "error: under way", always},
		{"a canary is promoted", func(d *Document) (bool, error) {
			_, _ = d.StartCanary("v1", 0, "", ann)
			return d.PromoteCanary(ann)
		}, "v1 active, v2 legacy", func(d *Document) bool { return d.Canary == nil && d.Edit.Version == "v1" }},
		{"a canary is aborted", func(d *Document) (bool, error) {
			_, _ = d.StartCanary("v1", 0, "", ann)
			return d.AbortCanary(ann)
		}, "v1 legacy, v2 active", func(d *Document) bool { return d.Canary == nil }},
		{"a canary is activated", func(d *Document) (bool, error) {
			_, _ = d.StartCanary("v1", 0, "", ann)
			return d.Activate("v1", ann)
		}, "v1 active, v2 legacy", func(d *Document) bool { return d.Canary == nil }},
		{"no canary is promoted", func(d *Document) (bool, error) { return d.PromoteCanary(ann) }, "error: no canary", always},
		{"another version is not activated during a canary", func(d *Document) (bool, error) {
			mustRegister(t, d, definitionOf(numbered(1), "v3"), StateLegacy)
			_, _ = d.StartCanary("v1", 0, "", ann)
			return d.Activate("v3", ann)
		}, "error: promote or abort it first", always},
		{"nor by registering it", func(d *Document) (bool, error) {
			_, _ = d.StartCanary("v1", 0, "", ann)
			return d.Register(definitionOf(numbered(1), "v3"), "ann", day0, StateActive)
		}, "error: promote or abort it first", always},
	}
}
