package prefix

import "math"

// AddTokens adds two counts of tokens. A sum beyond the largest number stays there, so that too much never looks like little: one request may
// have 2^53-1 tokens of a kind, and a thousand such requests come to more than an int64 holds.
func AddTokens(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

// whole turns a sum of a query into a count; what is beyond the largest number stays there.
func whole(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
