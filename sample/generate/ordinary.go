package main

import (
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

const (
	sonnet = "claude-sonnet-4-5"
	gpt    = "gpt-5.1"
)

func noun(name string) string {
	_, n, _ := strings.Cut(name, "_")
	return n
}

// ok is a call without trouble.
func ok(name string) call {
	return call{name: name, resolution: events.ResolvedOK, class: events.DriftCurrent, outcome: events.OutcomeOK}
}

// deck is the calls of the ordinary conversations: what each tool's drift is to be, shuffled.
func (r *recorder) deck() []call {
	var d []call
	put := func(n int, k call) {
		for range n {
			d = append(d, k)
		}
	}
	old := ok("create_order") // over a fifth: an old version, and the default that a rename left behind
	old.class, old.version = events.DriftOldVersion, "v1"
	silent := ok("create_order")
	silent.class, silent.unknown, silent.defaulted = events.DriftSilentDefault, []string{"amount"}, []string{"quantity"}
	put(70, ok("create_order"))
	put(28, old)
	put(2, silent)

	unknown := ok("update_contact") // over a twentieth
	unknown.class, unknown.unknown = events.DriftUnknownArgument, []string{"phone_no"}
	put(88, ok("update_contact"))
	put(12, unknown)

	unregistered := ok("audit_stock")
	unregistered.class = events.DriftUnregistered
	put(3, unregistered)

	fails := ok("get_order")
	fails.outcome = events.OutcomeExecutionError
	put(24, fails)
	for _, name := range []string{"get_contact", "get_order", "search_issue", "list_message"} {
		put(150, ok(name))
	}
	r.rng.Shuffle(len(d), func(i, j int) { d[i], d[j] = d[j], d[i] })
	return d
}

// ordinary deals the deck to conversations without a cache break.
func ordinary(r *recorder) {
	d := r.deck()
	for i := 0; len(d) > 0; i++ {
		model := sonnet
		if i%3 == 2 {
			model = gpt
		}
		at := start.Add(time.Duration(i)*18*time.Hour + time.Duration(r.between(0, 7200))*time.Second)
		c := r.newConv(at, model)
		c.activate(events.ViaActivationTool, "create_order", "update_contact", "audit_stock")
		c.request(req{verdict: "cold_start", lost: true})
		for range min(len(d), r.between(9, 16)) {
			c.call(d[0])
			d = d[1:]
			c.request(req{verdict: "ok"})
		}
	}
}
