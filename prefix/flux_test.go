package prefix

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func fluxOfRequests(reqs []Observed) []Flux {
	return findFlux(reqs, Judge(reqs, DefaultSettings()), DefaultSettings().FluxRequests)
}

func TestPartsThatKeepChangingAreNamed(t *testing.T) {
	clock := make([]Observed, 5)
	for i := range clock {
		clock[i] = req(i+1, float64(9*i), 0, 5000, system(fmt.Sprint("t", i), "s"))
	}
	growing := []Observed{req(1, 0, 0, 5000, tools("A:1")), req(2, 9, 0, 5000, tools("A:1,B:1")), req(3, 18, 0, 5000, tools("A:1,B:1,C:1"))}
	minute, version := make([]Observed, 12), make([]Observed, 12)
	for i := range minute {
		minute[i] = req(i+1, float64(20*i), 0, 5000, system(fmt.Sprint("t", i*20/60), "s"))
		version[i] = req(i+1, float64(20*i), 0, 5000, tools(fmt.Sprint("A:1,X:", i/3)))
	}
	for _, tt := range []struct {
		name string
		reqs []Observed
		want []Flux
	}{
		{"a clock by the minute", minute, []Flux{{Kind: Volatile, Part: "system", Name: "0", Requests: 12, Changes: 3, Values: 4}}},
		{"a prompt that changed twice", minute[:9], nil},
		{"a definition with a counter", version, []Flux{{Kind: Volatile, Part: "tools", Name: "X", Requests: 12, Changes: 3, Values: 4}}},
		{"a clock in the system prompt", clock, []Flux{{Kind: Volatile, Part: "system", Name: "0", Requests: 5, Changes: 4, Values: 5}}},
		{"a definition that goes back and forth", []Observed{req(1, 0, 0, 5000, tools("X:aa")), req(2, 9, 0, 5000, tools("X:bb")), req(3, 18, 0, 5000, tools("X:aa"))},
			[]Flux{{Kind: Flapping, Part: "tools", Name: "X", Requests: 3, Changes: 2, Values: 2}}},
		{"an order that goes back and forth", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, tools("B:2,A:1")), req(3, 18, 0, 5000)},
			[]Flux{{Kind: Flapping, Part: "tool_order", Requests: 3, Changes: 2, Values: 2}}},
		{"tools loaded one after the other", growing, nil},
		{"a system prompt that changed once", []Observed{req(1, 0, 0, 5000), req(2, 9, 5000, 1), req(3, 18, 0, 5000, system("new"))}, nil},
		{"a sub-agent with a prompt of its own", []Observed{
			req(1, 0, 0, 5000), req(2, 3, 0, 5000, system("sub"), messages("s0")), req(3, 9, 5000, 1), req(4, 12, 5000, 1, system("sub"), messages("s0 s1 s2")),
			req(5, 18, 5000, 1),
		}, nil},
	} {
		if d := cmp.Diff(tt.want, fluxOfRequests(tt.reqs)); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, d)
		}
	}
}

func TestWhatCouldHaveBeenReadIsSaidWhereNothingWasEverRead(t *testing.T) {
	clock := func(prompt, read int64, opts ...opt) []Observed {
		reqs := make([]Observed, 6)
		for i := range reqs {
			reqs[i] = req(i+1, float64(9*i), 0, 0, append([]opt{openAI(prompt, read), system(fmt.Sprint("t", i), "s")}, opts...)...)
		}
		return reqs
	}
	usd := 5 * 5120 * 1.25 * 0.9 / 1e6
	late := clock(5200, 0)
	late[3] = req(4, 27, 0, 0, openAI(5200, 5120), system("t3", "s")) // from here on the model is known to cache
	for _, tt := range []struct {
		name string
		reqs []Observed
		want int64
		usd  *float64
	}{
		{"a clock that keeps a model from ever caching", clock(5200, 0), 5 * 5120, &usd},
		{"a prompt below the minimum", clock(900, 0), 0, nil},
		{"a model of no price", clock(5200, 0, model("gpt-99")), 5 * 5120, nil},
		{"a model of which it is not known that it caches", clock(5200, 0, func(o *Observed) { o.ProviderName = "house" }), 0, nil},
		{"a model that was seen to cache loses instead", late, 2 * 5120, nil},
		{"a provider that reports writes", clock(5200, 0, func(o *Observed) { o.CacheWrite5mInputTokens = events.Tokens(0) }), 0, nil},
	} {
		got := fluxOfRequests(tt.reqs)
		if len(got) != 1 || got[0].CouldRead != tt.want || tt.usd != nil && math.Abs(deref(got[0].CouldReadUSD)-*tt.usd) > 1e-9 {
			t.Errorf("%s: %+v, want %d tokens", tt.name, got, tt.want)
		}
	}
}
