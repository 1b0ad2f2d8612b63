package prefix

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

func TestASumOfTokensStaysAtTheLargestNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		want := new(big.Int).Add(big.NewInt(a), big.NewInt(b))
		if !want.IsInt64() {
			want = big.NewInt(math.MaxInt64)
			if a < 0 {
				want = big.NewInt(math.MinInt64)
			}
		}
		if got := AddTokens(a, b); got != want.Int64() {
			t.Fatalf("%d + %d = %d", a, b, got)
		}
	})
}

func TestAReportOfVeryManyTokensIsNotNegative(t *testing.T) {
	const most = 1<<53 - 1
	r := NewReport()
	var reqs []Observed
	for i := range 1100 {
		reqs = append(reqs, req(1, float64(900*i), 0, most, func(o *Observed) { o.Turn = 0 }))
	}
	judged := Judge(reqs, DefaultSettings())
	c := r.add(reqs, judged, make([]bool, len(reqs)))
	if judged[1].TokensLost.N != most || c.TokensLost != math.MaxInt64 || r.TokensLost != math.MaxInt64 || r.Verdicts[TTLExpired].TokensLost != math.MaxInt64 {
		t.Errorf("a break lost %d, the conversation %d, all %d", judged[1].TokensLost.N, c.TokensLost, r.TokensLost)
	}
	f := facts{settings: DefaultSettings()}
	f.add(&c)
	if got := f.findings(); len(got) != 1 || got[0].Severity != "critical" || got[0].Numbers["tokens_lost"] < most {
		t.Errorf("findings %+v", got)
	}
	s := Spent{TokensLost: math.MaxInt64}
	s.add(&Spent{TokensLost: most})
	if s.TokensLost != math.MaxInt64 {
		t.Errorf("spent %d", s.TokensLost)
	}
}

func TestAPromptOfTooManyTokensIsNotNegative(t *testing.T) {
	o := req(1, 0, math.MaxInt64-5, 10, func(o *Observed) { o.CacheWrite1hInputTokens = events.Tokens(math.MaxInt64) })
	if o.prompt() != math.MaxInt64 || o.written() != math.MaxInt64 {
		t.Errorf("prompt %d, written %d", o.prompt(), o.written())
	}
}
