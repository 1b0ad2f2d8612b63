package drift

import "math"

// z95 is the quantile of the normal distribution that 95 % lie within on both sides.
var z95 = math.Sqrt2 * math.Erfinv(0.95)

// Ratio is a share k/n with the Wilson score interval that holds it with 95 % confidence.
type Ratio struct {
	Value, Low, High float64
}

// NewRatio returns k/n; of none at all it is 0 within 0 to 1. It holds that 0 <= Low <= Value <= High <= 1 for k <= n.
func NewRatio(k, n uint64) Ratio {
	if n == 0 {
		return Ratio{0, 0, 1}
	}
	k = min(k, n)
	return wilson(float64(k)/float64(n), float64(n))
}

// wilson returns the interval of a share p of n, which need not be whole.
func wilson(p, n float64) Ratio {
	z := z95 * z95 / n
	centre := (p + z/2) / (1 + z)
	half := math.Sqrt(p*(1-p)*z+z*z/4) / (1 + z)
	r := Ratio{p, max(0, centre-half), min(1, centre+half)}
	if p == 0 {
		r.Low = 0
	}
	if p == 1 {
		r.High = 1
	}
	r.Low, r.High = min(r.Low, p), max(r.High, p)
	return r
}
