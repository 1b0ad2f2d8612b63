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
// writes, or 1 where it wrote nothing and paid for plain input.
func (p *Price) LostUSD(o *Observed, tokens int64) events.Amount {
	if !p.covers(o) {
		return events.Amount{}
	}
	again := 1.0
	if w := o.written(); w > 0 {
		short, long := float64(o.CacheWrite5mInputTokens.N), float64(o.CacheWrite1hInputTokens.N)
		again = (short*p.Write5m + long*p.Write1h) / float64(w)
	}
	return events.USD(float64(tokens) * *p.InputUSD * max(again-p.Read, 0) / million)
}
