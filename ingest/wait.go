package ingest

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// wait returns after d, or with the context's cause when that ends first.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// newBackoff returns growing waits from least to most, half of each by chance.
func newBackoff(least, most time.Duration) *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = least, most, 2
	b.Reset()
	return b
}
