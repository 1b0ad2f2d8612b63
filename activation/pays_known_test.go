package activation

import "testing"

func TestWhetherItPaysIsSaidOnlyWhereWhatWasNotReportedCouldNotTurnIt(t *testing.T) {
	some := func(n uint64) *uint64 { return &n }
	dear, cheap := 10_000.0, 10.0
	for name, tt := range map[string]struct {
		pay  Pay
		want string
	}{
		"all is reported":                     {Pay{Requests: 5, EverythingTokens: dear, RoundTrips: 1, RoundTripTokens: some(9), Guesses: 1, GuessTokens: some(3)}, "yes"},
		"tokens of round trips are not":       {Pay{Requests: 5, EverythingTokens: dear, RoundTrips: 1, GuessTokens: some(0)}, ""},
		"tokens of guesses are not":           {Pay{Requests: 5, EverythingTokens: dear, Guesses: 2}, ""},
		"requests are not, and it pays":       {Pay{EverythingTokens: dear, GuessTokens: some(0)}, "yes"},
		"requests are not, and it seems dear": {Pay{EverythingTokens: cheap, RosterTokens: dear, GuessTokens: some(0)}, ""},
		"it does not pay whatever they were":  {Pay{Requests: 5, EverythingTokens: cheap, RosterTokens: dear, RoundTrips: 1}, "no"},
	} {
		p := tt.pay
		p.Tools, p.ToolsKnown = 3, 3
		p.settle()
		got := ""
		if p.Pays != nil {
			got = map[bool]string{true: "yes", false: "no"}[*p.Pays]
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q (%+v)", name, got, tt.want, p)
		}
	}
	if reported(2, 0) != nil || reported(0, 0) == nil || *reported(2, 7) != 7 {
		t.Error("calls without any token count as calls of none")
	}
}
