package analyzer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// RegistryBucket is the bucket that holds a document a tool; see [stream.Bucket].
type RegistryBucket interface {
	All(ctx context.Context) ([]stream.Entry, error)
	Watch(ctx context.Context, w stream.Watcher, o stream.WatchOptions, failed func(error))
}

// Registry is the registry as its bucket has it: what detectors know of tools besides what is stored, and what the breaker judges calls
// by. Make one with [NewRegistry] or [RegistryOf].
type Registry struct {
	*drift.Registry
	bucket RegistryBucket
	watch  registryWatch
	log    *slog.Logger

	mu  sync.Mutex
	err error
}

// NewRegistry returns a registry that knows nothing until [Registry.Run] or [Registry.Load] has read the bucket.
func NewRegistry(b RegistryBucket, m *metrics.Analyzer, log *slog.Logger) *Registry {
	r := drift.NewRegistry()
	return &Registry{Registry: r, bucket: b, watch: registryWatch{r, newSignal(), m, log}, log: log, err: errNotRead}
}

// RegistryOf returns a registry that somebody else keeps, in memory.
func RegistryOf(r *drift.Registry) *Registry {
	known := newSignal()
	known.give()
	return &Registry{Registry: r, watch: registryWatch{known: known}}
}

// NoRegistry returns a registry that is not known, and why.
func NoRegistry(why error) *Registry {
	return &Registry{Registry: drift.NewRegistry(), watch: registryWatch{known: newSignal()}, err: why}
}

// registryGrace is how long the breaker and the first run wait for the registry.
const registryGrace = 10 * time.Second

// wait reports whether the registry is known, for which it waits a while.
func (r *Registry) wait(ctx context.Context) bool { return r.watch.known.wait(ctx, registryGrace) }

var errNotRead = errors.New("it has not been read yet")

// Run follows the bucket until ctx ends, which is not an error. NATS may be away for any time: what was known serves on.
func (r *Registry) Run(ctx context.Context) error {
	r.bucket.Watch(ctx, r.watch, stream.WatchOptions{}, func(err error) {
		r.fail(err)
		r.log.Warn("follow the registry again", slog.Any("error", err))
	})
	return nil
}

// Load reads the bucket once.
func (r *Registry) Load(ctx context.Context) error {
	all, err := r.bucket.All(ctx)
	if err != nil {
		r.fail(err)
		return fmt.Errorf("read the registry: %w", err)
	}
	r.watch.Whole(all)
	return nil
}

func (r *Registry) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// Err says why the registry is not known; nil once it was read.
func (r *Registry) Err() error {
	if r.watch.known.isGiven() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
