package ingest

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// RegistryBucket is the bucket that holds a document a tool; see [stream.Bucket].
type RegistryBucket interface {
	All(ctx context.Context) ([]stream.Entry, error)
	Change(ctx context.Context, key string, change func(old []byte) ([]byte, error)) (uint64, error)
	Watch(ctx context.Context, w stream.Watcher, o stream.WatchOptions, failed func(error))
}

// Registrar keeps a [Classifier]'s registry and the registry's bucket together: what the bucket has the classifier judges by, and what the
// classifier saw in events goes into the bucket, in the background. The bucket wins: people decide there. Make one with [NewRegistrar].
//
// What waits to be written is the names of tools, since the registry in memory has their documents: many definitions of a tool are one
// write, and the queue is bounded as the registry is. What was not written when the process ends is in the store, from where the next one
// fills it in.
type Registrar struct {
	registry *drift.Registry
	bucket   RegistryBucket
	metrics  *metrics.Ingest
	log      *slog.Logger
	// wake has room for one: there is something to write.
	wake chan struct{}

	// mu guards all changes of the registry, and what follows.
	mu sync.Mutex
	// waiting are the tools whose documents the bucket lacks, or lacks something of, in the order in which that was seen.
	waiting []drift.Key
	// known has a tool's place in all of this.
	known map[drift.Key]*known
	// synced is set once the bucket's documents are known.
	synced bool
}

// known is what a registrar notes of a tool.
type known struct {
	// waits is set while the tool is among those that wait.
	waits bool
	// stored is set while all that waits was read from the store: it may be older than what the bucket knows.
	stored bool
	// revision is the last one that was taken over or written: what the bucket had before is not taken over any more.
	revision uint64
}

// NewRegistrar gives a classifier that is not at work yet the registry's bucket. It starts nothing.
func NewRegistrar(c *Classifier, b RegistryBucket, m *metrics.Ingest, log *slog.Logger) *Registrar {
	r := &Registrar{registry: c.registry, bucket: b, metrics: m, log: log, wake: make(chan struct{}, 1), known: map[drift.Key]*known{}}
	c.registrar = r
	return r
}

// Run follows the bucket and writes into it until ctx ends, which is not an error. NATS may be away for any time.
func (r *Registrar) Run(ctx context.Context) error {
	var parts sync.WaitGroup
	parts.Go(func() {
		r.bucket.Watch(ctx, follower{r}, stream.WatchOptions{}, func(err error) {
			r.log.Warn("follow the registry again", slog.Any("error", err))
		})
	})
	parts.Go(func() { r.write(ctx) })
	parts.Wait()
	return nil
}

// register takes a definition into the registry in memory and has it written; stored says that it was read from the store.
func (r *Registrar) register(d *events.ToolDefinition, at time.Time, stored bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := drift.Key{Server: d.Server, Tool: d.ToolName}
	if stored && isOvertaken(r.registry.Document(k), at) {
		return nil
	}
	changed, err := r.registry.Register(d, registeredBy, at)
	if changed {
		n := r.note(k)
		n.stored = stored && (n.stored || !n.waits)
		r.queue(k)
		r.metrics.RegistryTools.Set(float64(r.registry.Len()))
	}
	if err != nil {
		r.metrics.RegistryRefused.Inc()
	}
	return err
}

// isOvertaken reports that what was first seen at a time came before the active version of a document that follows events: it would
// take the active version's place, which was decided since.
func isOvertaken(d *drift.Document, at time.Time) bool {
	if d == nil || d.Managed {
		return false
	}
	active := d.Active()
	return active != nil && at.Before(active.RegisteredAt)
}

func (r *Registrar) note(k drift.Key) *known {
	n := r.known[k]
	if n == nil {
		n = &known{}
		r.known[k] = n
	}
	return n
}

// queue has a tool's document written. The caller holds the lock.
func (r *Registrar) queue(k drift.Key) {
	if n := r.note(k); !n.waits {
		n.waits = true
		r.waiting = append(r.waiting, k)
		r.metrics.RegistryWaiting.Set(float64(len(r.waiting)))
	}
	r.rouse()
}

// rouse has the writer look what waits.
func (r *Registrar) rouse() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// done takes a tool off those that wait. The caller holds the lock.
func (r *Registrar) done(k drift.Key) {
	n := r.note(k)
	if !n.waits {
		return
	}
	n.waits, n.stored = false, false
	r.waiting = slices.DeleteFunc(r.waiting, func(other drift.Key) bool { return other == k })
	r.metrics.RegistryWaiting.Set(float64(len(r.waiting)))
}

// loadTimeout is how long the bucket may take to be read before the stored definitions are.
const loadTimeout = 5 * time.Second

// load takes over the bucket's documents before the first event is judged, if NATS answers; else they come later.
func (r *Registrar) load(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	if r.isSynced() {
		return
	}
	all, err := r.bucket.All(ctx)
	if err != nil {
		r.log.Warn("read the registry later: stored definitions serve until then", slog.Any("error", err))
		return
	}
	for i := range all {
		follower{r}.Changed(all[i])
	}
}

func (r *Registrar) isSynced() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.synced
}
