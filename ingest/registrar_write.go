package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

const (
	// registrarRetryMin and registrarRetryMax are the first and the longest wait before a document is written again. Tries never end.
	registrarRetryMin, registrarRetryMax = 100 * time.Millisecond, 10 * time.Second
	// registrarTimeout ends one try.
	registrarTimeout = 10 * time.Second
)

// write writes what waits until ctx ends.
func (r *Registrar) write(ctx context.Context) {
	pause := newBackoff(registrarRetryMin, registrarRetryMax)
	for ctx.Err() == nil {
		k, ok := r.next()
		if !ok {
			select {
			case <-r.wake:
			case <-ctx.Done():
			}
			continue
		}
		err := r.writeOne(ctx, k)
		switch {
		case err == nil:
			pause.Reset()
		case ctx.Err() != nil:
			return
		case isHopeless(err):
			r.giveUp(k, err)
		default:
			r.metrics.RegistryWrites.WithLabelValues("failed").Inc()
			d := pause.NextBackOff()
			r.log.Warn("write to the registry again", slog.Any("error", err), slog.Duration("retry_in", d))
			_ = wait(ctx, d)
		}
	}
}

// next is the tool to write first. Nothing is written before the bucket is read: it may say that somebody took the tool away.
func (r *Registrar) next() (drift.Key, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.synced || len(r.waiting) == 0 {
		return drift.Key{}, false
	}
	return r.waiting[0], true
}

// errHopeless is in the chain of an error that the next try would meet again.
var errHopeless = errors.New("trying again is no use")

func isHopeless(err error) bool {
	return errors.Is(err, errHopeless) || errors.Is(err, stream.ErrTooLarge)
}

// giveUp leaves a tool's document in memory alone. It is tried again when a further definition of the tool comes.
func (r *Registrar) giveUp(k drift.Key, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.metrics.RegistryWrites.WithLabelValues("refused").Inc()
	r.log.Error("a tool's document can't be written to the registry", slog.String("tool", k.String()), slog.Any("error", err))
	r.done(k)
}

// writeOne brings what the bucket has of a tool together with what is known here.
func (r *Registrar) writeOne(ctx context.Context, k drift.Key) error {
	ctx, cancel := context.WithTimeout(ctx, registrarTimeout)
	defer cancel()
	ours, stored := r.snapshot(k)
	if ours == nil {
		return nil
	}
	key, err := stream.Key(k.Server, k.Tool)
	if err != nil {
		return fmt.Errorf("%w: %w", errHopeless, err)
	}
	wrote := false
	revision, err := r.bucket.Change(ctx, key, func(old []byte) ([]byte, error) {
		next, err := together(k, old, ours, stored)
		if wrote = next != nil; err != nil {
			return nil, fmt.Errorf("%w: %w", errHopeless, err)
		}
		return next, nil
	})
	if err != nil {
		return err
	}
	r.written(k, ours, revision, wrote)
	return nil
}

func (r *Registrar) snapshot(k drift.Key) (ours *drift.Document, stored bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ours = r.registry.Document(k)
	if ours == nil {
		r.done(k)
	}
	return ours, r.note(k).stored
}

// written notes that the bucket has all of a document, unless something came to it meanwhile.
func (r *Registrar) written(k drift.Key, ours *drift.Document, revision uint64, wrote bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	result := "unchanged"
	if wrote {
		result = "written"
		r.note(k).revision = revision
	}
	r.metrics.RegistryWrites.WithLabelValues(result).Inc()
	if r.registry.Document(k) == ours {
		r.done(k)
	}
}

// together returns the document that a key is to have, nil where it is as it should be.
func together(k drift.Key, old []byte, ours *drift.Document, stored bool) ([]byte, error) {
	if len(old) == 0 {
		return restored(ours).Encode()
	}
	d, err := documentOf(k, old)
	if err != nil {
		return nil, err
	}
	changed, err := merge(d, ours, stored)
	if !changed {
		return nil, err
	}
	return d.Encode() // with as much as could be registered
}

// restored returns a document for a bucket that lacks the tool. Where somebody else made its last edit, that was in another bucket.
func restored(ours *drift.Document) *drift.Document {
	if ours.Edit.By == registeredBy {
		return ours
	}
	d := ours.Clone()
	d.Edit = drift.Edit{At: time.Now().UTC(), By: registeredBy, Action: drift.ActionRegister, Reason: "the registry did not have the tool"}
	return d
}

// merge registers in a document the versions that another one of the same tool has and it lacks, in their order. Where they were all read
// from the store, those that came before the document's active version are left out. It changes the document as far as it can.
func merge(d, other *drift.Document, stored bool) (changed bool, err error) {
	if other == nil {
		return false, nil
	}
	var errs []error
	for i := range other.Versions {
		v := &other.Versions[i]
		if stored && isOvertaken(d, v.RegisteredAt) {
			continue
		}
		did, err := d.Register(definitionOf(other, v), registeredBy, v.RegisteredAt, "")
		changed = changed || did
		errs = append(errs, err)
	}
	return changed, errors.Join(errs...)
}

// definitionOf returns a version as the event that it came in.
func definitionOf(d *drift.Document, v *drift.VersionEntry) *events.ToolDefinition {
	def := &events.ToolDefinition{
		Server: d.Server, ToolName: d.Tool, SchemaVersion: v.Version, Release: v.Release, WireDigest: v.WireDigest,
		DefinitionDigest: v.DefinitionDigest, SchemaDigest: v.SchemaDigest, Definition: v.Definition,
	}
	if v.Version == drift.AutoVersion(v.SchemaDigest) {
		def.SchemaVersion = ""
	}
	return def
}
