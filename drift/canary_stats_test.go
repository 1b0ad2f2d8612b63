package drift

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestNewcombesIntervalOfKnownCases(t *testing.T) {
	// Newcombe 1998 (Statistics in Medicine 17, 873-890), table II, method 10.
	for _, c := range []struct {
		k1, n1, k2, n2 uint64
		low, high      float64
	}{
		{56, 70, 48, 80, 0.0524, 0.3339}, {9, 10, 3, 10, 0.1705, 0.8090}, {6, 7, 2, 7, 0.0582, 0.8062}, {5, 56, 0, 29, -0.0381, 0.1926},
		{0, 10, 0, 20, -0.1611, 0.2775}, {0, 10, 0, 10, -0.2775, 0.2775}, {10, 10, 0, 20, 0.6791, 1}, {10, 10, 0, 10, 0.6075, 1},
	} {
		d := NewDifference(c.k1, c.n1, c.k2, c.n2)
		if math.Abs(d.Low-c.low) > 5e-5 || math.Abs(d.High-c.high) > 5e-5 {
			t.Errorf("%d/%d - %d/%d: %.4f to %.4f, want %.4f to %.4f", c.k1, c.n1, c.k2, c.n2, d.Low, d.High, c.low, c.high)
		}
	}
}

// group draws a count of calls and how many of them are bad.
func group(t *rapid.T, name string) (k, n uint64) {
	n = rapid.Uint64Range(0, 1<<40).Draw(t, name+" calls")
	return rapid.Uint64Range(0, n).Draw(t, name), n
}

func TestADifferenceLiesWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k1, n1 := group(t, "canary")
		k2, n2 := group(t, "baseline")
		d := NewDifference(k1, n1, k2, n2)
		if !(-1 <= d.Low && d.Low <= d.Value && d.Value <= d.High && d.High <= 1) {
			t.Fatalf("%d/%d - %d/%d: %+v", k1, n1, k2, n2, d)
		}
	})
}

func TestADifferenceTheOtherWayRoundIsTheSameWithItsSignTurned(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k1, n1 := group(t, "canary")
		k2, n2 := group(t, "baseline")
		d, back := NewDifference(k1, n1, k2, n2), NewDifference(k2, n2, k1, n1)
		if math.Abs(d.Low+back.High) > 1e-12 || math.Abs(d.High+back.Low) > 1e-12 {
			t.Fatalf("%+v and %+v", d, back)
		}
	})
}

func TestEqualSharesAreNeverWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, n := group(t, "both")
		if v := NewDifference(k, n, k, n).verdict(0.05); v == CanaryWorse {
			t.Fatalf("%d of %d is worse than %d of %d", k, n, k, n)
		}
	})
}

func TestMoreOfTheSameCallsEndInAVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n1, n2 := rapid.Uint64Range(1, 1<<20).Draw(t, "canary calls"), rapid.Uint64Range(1, 1<<20).Draw(t, "baseline calls")
		k1, k2 := rapid.Uint64Range(0, n1).Draw(t, "canary"), rapid.Uint64Range(0, n2).Draw(t, "baseline")
		times := growth(float64(k1)/float64(n1), float64(n1), float64(k2)/float64(n2), float64(n2), 0.05)
		if math.IsInf(times, 1) || times > 1<<19 {
			return // a difference that lies on the margin, or on none, takes too many
		}
		m := uint64(math.Ceil(times))
		if v := NewDifference(k1*m, n1*m, k2*m, n2*m).verdict(0.05); v == CanaryTooEarly {
			t.Fatalf("%d/%d - %d/%d is undecided at %d times as many", k1, n1, k2, n2, m)
		}
	})
}

func TestTheVerdictFollowsTheInterval(t *testing.T) {
	for _, c := range []struct {
		name string
		d    Difference
		want CanaryVerdict
	}{
		{"all of it above none", Difference{0.1, 0.02, 0.2}, CanaryWorse},
		{"all of it under the margin", Difference{0, -0.02, 0.04}, CanaryNoWorse},
		{"worse, by less than matters", Difference{0.02, 0.01, 0.03}, CanaryNoWorse},
		{"from none on", Difference{0.1, 0, 0.2}, CanaryTooEarly},
		{"up to the margin", Difference{0, -0.05, 0.05}, CanaryTooEarly},
	} {
		if got := c.d.verdict(0.05); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
