package analyzer

import (
	"errors"
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// BreakerConfig says how the breaker reads the event stream. By which rules it decides is said by [drift.BreakerSettings]. Start from
// [DefaultBreakerConfig].
type BreakerConfig struct {
	// Stream is the stream of events.
	Stream string
	// Since is how long ago the calls were made that are read where there is no checkpoint to go on from.
	Since time.Duration
	// Reread is how many messages before the checkpoint are read again for the ids of their calls, of any kind: an event that comes again
	// counts once.
	Reread uint64
	// Late is how old a call may be, by the stream's clock, that decides. A streak that ended longer ago, read by an analyzer that was away,
	// waits for one more error: the calls after it may have gone well.
	Late time.Duration
	// CheckpointEvery is the least time between two checkpoints, and how often the settings are looked at; a second at least.
	CheckpointEvery time.Duration
	// PollInterval is how often the stream is asked how far behind the breaker is.
	PollInterval time.Duration
	// Heartbeat is how often the server says that it has nothing; two that are missed end a consumer.
	Heartbeat time.Duration
	// PullBytes is how much is fetched ahead. The server's largest message always fits.
	PullBytes int
	// RetryMax is the longest pause before something that failed is tried again.
	RetryMax time.Duration
	// TellAfter is how long after a decision was written another analyzer tells people of it, where the one that wrote it has not.
	TellAfter time.Duration
}

// DefaultBreakerConfig goes back ten minutes without a checkpoint and 8,192 messages behind one.
func DefaultBreakerConfig() BreakerConfig {
	return BreakerConfig{
		Stream: stream.Name, Since: 10 * time.Minute, Reread: 8192, Late: 5 * time.Minute, CheckpointEvery: time.Second,
		PollInterval: 2 * time.Second, Heartbeat: 5 * time.Second, PullBytes: 4 << 20, RetryMax: 5 * time.Second, TellAfter: 10 * time.Second,
	}
}

// Validate reports every setting that can't be.
func (c BreakerConfig) Validate() error {
	var errs []error
	if c.Stream == "" {
		errs = append(errs, errors.New("breaker stream: missing"))
	}
	if c.CheckpointEvery < time.Second {
		errs = append(errs, fmt.Errorf("breaker checkpoints every %s: want a second at least", c.CheckpointEvery))
	}
	for name, d := range map[string]time.Duration{
		"since": c.Since, "late": c.Late, "poll interval": c.PollInterval, "heartbeat": c.Heartbeat, "longest retry": c.RetryMax, "tell after": c.TellAfter,
	} {
		if d <= 0 {
			errs = append(errs, fmt.Errorf("breaker %s %s: want more than 0", name, d))
		}
	}
	if c.PullBytes <= 0 {
		errs = append(errs, fmt.Errorf("breaker pull bytes %d: want more than 0", c.PullBytes))
	}
	return errors.Join(errs...)
}

const (
	// MaxCheckpointBytes is how large a checkpoint can be. Of more streaks than fit, those are left out that were added to longest ago.
	MaxCheckpointBytes = 256 << 10
	// breakerRetryMin is the first pause before something that failed is tried again.
	breakerRetryMin = 50 * time.Millisecond
	// breakerAsk ends one question to JetStream. A question that was on its way when a connection broke is never answered.
	breakerAsk = 5 * time.Second
	// breakerGrace is how long the last checkpoint may take.
	breakerGrace = 3 * time.Second
)

// settings returns the rules in force.
func (p *BreakerParts) settings() drift.BreakerSettings {
	if p.Settings == nil {
		return drift.DefaultBreakerSettings()
	}
	return p.Settings()
}
