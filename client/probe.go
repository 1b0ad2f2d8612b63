package client

import (
	"context"
	"log/slog"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

const (
	// probeWait bounds the claim of a probe: the call waits for it.
	probeWait = time.Second
	// probePause is how long after a claim without success this client tries no other for the same switch.
	probePause = time.Second
)

// claimProbe reports whether this client got the one probe call of a disabled tool: of all clients, and of all goroutines of this one, one
// does.
func (c *Client) claimProbe(ctx context.Context, at switchKey, sw *drift.Switch, now time.Time) bool {
	if drift.ClaimProbe(sw, c.s.beat.id, now) == nil || !c.up() || !c.know.mayTry(at, now) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	next, rev, err := c.writeClaim(ctx, at, now)
	if err != nil {
		c.cfg.Log.Debug("probe not claimed", slog.String("tool", at.tool.String()), slog.Any("error", err))
		return false
	}
	if next == nil {
		return false
	}
	c.know.mu.Lock()
	defer c.know.mu.Unlock()
	c.know.setSwitch(at, next, rev)
	return true
}

// up reports whether NATS is there now.
func (c *Client) up() bool {
	select {
	case <-c.linked:
		return c.link != nil && c.link.up()
	default:
		return false
	}
}

// writeClaim writes the claim; nil when somebody else was first.
func (c *Client) writeClaim(ctx context.Context, at switchKey, now time.Time) (next *drift.Switch, revision uint64, err error) {
	b, err := c.bucket(ctx, stream.BreakerBucket)
	if err != nil {
		return nil, 0, err
	}
	names := []string{at.tool.Server, at.tool.Tool}
	if at.agent != "" {
		names = append(names, at.agent)
	}
	key, err := stream.Key(names...)
	if err != nil {
		return nil, 0, err
	}
	revision, err = b.Change(ctx, key, func(old []byte) ([]byte, error) {
		sw, err := readSwitch(old, at)
		if err != nil {
			return nil, err
		}
		if next = drift.ClaimProbe(sw, c.s.beat.id, now); next == nil {
			return nil, nil
		}
		return next.Encode()
	})
	return next, revision, err
}

// mayTry reports whether a claim may be tried now, once in a while.
func (k *knowledge) mayTry(at switchKey, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.switches[at]
	if h == nil || now.Sub(h.tried) < probePause {
		return false
	}
	h.tried = now
	return true
}
