package stream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/events"
)

// The streams and buckets.
const (
	// Name is the stream of events: the subjects tooltrail.v1.PARTITION.KIND.
	Name = "TOOLTRAIL"
	// DeadLetters is the stream of what could not be stored, with the reason in headers.
	DeadLetters = "TOOLTRAIL_DEADLETTERS"
	// RegistryBucket holds a document a tool: its schema versions and which one is active.
	RegistryBucket = "tooltrail_registry"
	// BreakerBucket holds a key a disabled tool.
	BreakerBucket = "tooltrail_breaker"
)

// Subjects are the subjects of the event stream.
const Subjects = events.SubjectPrefix + "*.*"

// deadLetterSubjects are the subjects of the stream of dead letters.
const deadLetterSubjects = "tooltrail.deadletters.>"

// registryHistory is how many revisions of a registry document and of a switch are kept, JetStream's maximum: what the analyzer
// has not stored by the time a key has had as many more is not in the history.
const registryHistory = 64

// Ensure creates the streams and buckets where they are missing and brings their settings to the configured ones where they
// are not; what a stream holds stays. Several processes may do it at once.
func Ensure(ctx context.Context, js jetstream.JetStream, cfg Config) error {
	if err := cfg.validateStreams(); err != nil {
		return err
	}
	for _, s := range streams(cfg) {
		if err := ensureStream(ctx, js, s); err != nil {
			return err
		}
	}
	for _, b := range buckets(cfg) {
		if _, err := js.CreateOrUpdateKeyValue(ctx, b); err != nil {
			return fmt.Errorf("ensure bucket %s: %w", b.Bucket, err)
		}
	}
	return nil
}

func streams(cfg Config) []jetstream.StreamConfig {
	limits := func(name, subject, what string, age time.Duration) jetstream.StreamConfig {
		return jetstream.StreamConfig{
			Name: name, Description: what, Subjects: []string{subject},
			Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy, Discard: jetstream.DiscardOld,
			MaxAge: age, MaxBytes: noLimit(cfg.MaxBytes), Duplicates: cfg.Duplicates, Replicas: cfg.Replicas,
			AllowDirect: true,
		}
	}
	return []jetstream.StreamConfig{
		limits(Name, Subjects, "What agents say about their tools.", cfg.MaxAge),
		limits(DeadLetters, deadLetterSubjects, "What could not be stored, and why.", cfg.DeadLetterMaxAge),
	}
}

// noLimit spells no limit as JetStream does.
func noLimit(n int64) int64 {
	if n == 0 {
		return -1
	}
	return n
}

func buckets(cfg Config) []jetstream.KeyValueConfig {
	return []jetstream.KeyValueConfig{
		{Bucket: RegistryBucket, Description: "Schema versions by tool.", History: registryHistory, Storage: jetstream.FileStorage, Replicas: cfg.Replicas},
		{Bucket: BreakerBucket, Description: "Disabled tools.", History: registryHistory, Storage: jetstream.FileStorage, Replicas: cfg.Replicas},
	}
}

// ensureStream creates or updates one stream. Between the lookup and the creation another process may come first: the loser
// updates to the same settings.
func ensureStream(ctx context.Context, js jetstream.JetStream, cfg jetstream.StreamConfig) error {
	_, err := js.UpdateStream(ctx, cfg)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		_, err = js.CreateStream(ctx, cfg)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		_, err = js.UpdateStream(ctx, cfg)
	}
	if err != nil {
		return fmt.Errorf("ensure stream %s: %w", cfg.Name, err)
	}
	return nil
}

// EpochOf returns what tells a stream from one of the same name that was created before or after it: its creation time in
// nanoseconds since 1970, in decimal. Sequences of different epochs are not comparable.
func EpochOf(info *jetstream.StreamInfo) string {
	return strconv.FormatInt(info.Created.UnixNano(), 10)
}
