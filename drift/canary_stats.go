package drift

import "math"

// Difference is how much a share is larger in one group than in another, with the interval that holds it with 95 % confidence.
type Difference struct {
	Value float64 `json:"value"`
	Low   float64 `json:"ci_low"`
	High  float64 `json:"ci_high"`
}

// NewDifference returns k1/n1 - k2/n2 of two independent groups with Newcombe's hybrid score interval, made of the Wilson intervals of
// both shares (R. G. Newcombe, Interval estimation for the difference between independent proportions: comparison of eleven methods,
// Statistics in Medicine 17, 1998, 873-890, method 10). It holds that -1 <= Low <= Value <= High <= 1. A group of none says nothing: its
// share is 0 within 0 to 1.
func NewDifference(k1, n1, k2, n2 uint64) Difference {
	return newcombe(NewRatio(k1, n1), NewRatio(k2, n2))
}

// newcombe returns the difference of two shares.
func newcombe(a, b Ratio) Difference {
	d := a.Value - b.Value
	low := d - math.Hypot(a.Value-a.Low, b.High-b.Value)
	high := d + math.Hypot(a.High-a.Value, b.Value-b.Low)
	return Difference{d, max(-1, min(low, d)), min(1, max(high, d))}
}

// CanaryVerdict is what can be said of a canary by now.
type CanaryVerdict string

// The verdicts of a canary.
const (
	// CanaryWorse is that the canary does worse: the interval of the difference leaves out no difference and a better canary.
	CanaryWorse CanaryVerdict = "worse"
	// CanaryNoWorse is that the canary is worse by less than the margin, if at all: the interval leaves out the margin and more.
	CanaryNoWorse CanaryVerdict = "no_worse"
	// CanaryTooEarly is that neither can be said with 95 % confidence.
	CanaryTooEarly CanaryVerdict = "too_early"
)

// verdict judges a difference of a share that had better be small.
func (d Difference) verdict(margin float64) CanaryVerdict {
	switch {
	case d.High < margin:
		return CanaryNoWorse
	case d.Low > 0:
		return CanaryWorse
	}
	return CanaryTooEarly
}

// maxGrowth is the largest multiple that is looked for.
const maxGrowth = 1 << 20

// growth is by how many times as many calls of both groups the verdict is there, were the shares p of n1 and q of n2 calls to stay as they
// are; +Inf where it takes more than [maxGrowth] times as many.
func growth(p, n1, q, n2, margin float64) float64 {
	decided := func(times float64) bool {
		return newcombe(wilson(p, n1*times), wilson(q, n2*times)).verdict(margin) != CanaryTooEarly
	}
	high := 1.0
	for ; !decided(high); high *= 2 {
		if high > maxGrowth {
			return math.Inf(1)
		}
	}
	low := max(1, high/2)
	for high-low > low/100 {
		if mid := (low + high) / 2; decided(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}
