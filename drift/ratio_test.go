package drift

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestWilsonIntervalHoldsTheRatioWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(0, 1<<40).Draw(t, "n")
		k := rapid.Uint64Range(0, n).Draw(t, "k")
		r := NewRatio(k, n)
		if !(0 <= r.Low && r.Low <= r.Value && r.Value <= r.High && r.High <= 1) {
			t.Fatalf("%d of %d: %+v", k, n, r)
		}
	})
}

func TestWilsonIntervalNarrowsWithTheCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(1, 1<<20).Draw(t, "n")
		k := rapid.Uint64Range(0, n).Draw(t, "k")
		few, many := NewRatio(k, n), NewRatio(10*k, 10*n)
		if many.High-many.Low > few.High-few.Low+1e-12 {
			t.Fatalf("%d of %d: %+v, ten times as many: %+v", k, n, few, many)
		}
	})
}

func TestWilsonIntervalOfKnownCases(t *testing.T) {
	// Newcombe 1998, table I, method 3.
	tests := []struct {
		k, n      uint64
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}}
	for _, tt := range tests {
		r := NewRatio(tt.k, tt.n)
		if math.Abs(r.Low-tt.low) > 5e-5 || math.Abs(r.High-tt.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", tt.k, tt.n, r.Low, r.High, tt.low, tt.high)
		}
	}
}

func TestRatioOfAThresholdIsNotOverIt(t *testing.T) {
	for n := uint64(20); n < 100_000; n += 20 {
		if NewRatio(n/20, n).Value > 0.05 {
			t.Fatalf("%d of %d is over 5 %%", n/20, n)
		}
		if NewRatio(n/5, n).Value > 0.20 {
			t.Fatalf("%d of %d is over 20 %%", n/5, n)
		}
	}
}
