package prefix

import "github.com/tooltrail/tooltrail/events"

const million = 1e6

// RequestUSD is what a request cost by a row of the price table. It is not known where usage or price is not, or the prompt
// is longer than the price holds for.
func (p *Price) RequestUSD(o *Observed) events.Amount {
	if !p.covers(o) || p.OutputUSD == nil || !o.reported() {
		return events.Amount{}
	}
	input := float64(o.UncachedInputTokens.N) +
		float64(o.CacheReadInputTokens.N)*p.Read +
		float64(o.CacheWrite5mInputTokens.N)*p.Write5m +
		float64(o.CacheWrite1hInputTokens.N)*p.Write1h
	return events.USD((input**p.InputUSD + float64(o.OutputTokens.N)**p.OutputUSD) / million)
}

// LostUSD is what it cost to process lost tokens again instead of reading them from the cache: tokens x base price x (write
// multiplier - read multiplier). The write multiplier is the one the request paid: by its own mix of 5-minute and 1-hour
// writes, but 1 for tokens beyond those that it wrote and for which it paid plain input.
func (p *Price) LostUSD(o *Observed, tokens int64) events.Amount {
	if !p.covers(o) {
		return events.Amount{}
	}
	again := 1.0
	w := o.written()
	if w > 0 {
		short, long := float64(o.CacheWrite5mInputTokens.N), float64(o.CacheWrite1hInputTokens.N)
		again = (short*p.Write5m + long*p.Write1h) / float64(w)
	}
	plain := min(max(tokens-w, 0), o.UncachedInputTokens.N)
	paid := float64(tokens-plain)*again + float64(plain)
	return events.USD(max(paid-float64(tokens)*p.Read, 0) * *p.InputUSD / million)
}
