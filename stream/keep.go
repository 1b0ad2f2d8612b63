package stream

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// keepInterval is how often Keep looks whether the streams are still there, and tries again where it could not create them.
	keepInterval = 5 * time.Second
	// keepTimeout bounds one look.
	keepTimeout = 10 * time.Second
)

// Keep creates what [Ensure] does, for as long as it takes NATS to be there, and again when a stream or a bucket is gone later on. It returns
// nil when ctx ends. Settings that somebody changed on an existing stream stay as they are after the first time.
func Keep(ctx context.Context, js jetstream.JetStream, cfg Config, log *slog.Logger) error {
	tick := time.NewTicker(keepInterval)
	defer tick.Stop()
	for created := false; ; {
		err := keepOnce(ctx, js, cfg, log, created)
		if err != nil && ctx.Err() == nil {
			log.Warn("create streams again", slog.Any("error", err))
		}
		created = created || err == nil
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// keepOnce creates the streams, unless they were created before and are there.
func keepOnce(ctx context.Context, js jetstream.JetStream, cfg Config, log *slog.Logger, created bool) error {
	ctx, cancel := context.WithTimeout(ctx, keepTimeout)
	defer cancel()
	if err := WaitConnected(ctx, js.Conn()); err != nil {
		return err
	}
	if created {
		gone, err := missing(ctx, js)
		if err != nil || gone == "" {
			return err
		}
		log.Warn("a stream is gone and is created anew", slog.String("stream", gone))
	}
	return Ensure(ctx, js, cfg)
}

// missing names the first stream that is not there, those of the buckets included.
func missing(ctx context.Context, js jetstream.JetStream) (string, error) {
	for _, name := range []string{Name, DeadLetters, bucketStream(RegistryBucket), bucketStream(BreakerBucket)} {
		_, err := js.Stream(ctx, name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
	}
	return "", nil
}
