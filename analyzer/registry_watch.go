package analyzer

import (
	"log/slog"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/stream"
)

// registryWatch keeps a registry as the bucket has it.
type registryWatch struct {
	registry *drift.Registry
	known    *signal
	metrics  *metrics.Analyzer
	log      *slog.Logger
}

// Whole takes all documents for those that there are.
func (w registryWatch) Whole(all []stream.Entry) {
	gone := map[drift.Key]bool{}
	for _, k := range w.registry.Keys() {
		gone[k] = true
	}
	for i := range all {
		if k, ok := w.take(&all[i]); ok {
			delete(gone, k)
		}
	}
	for k := range gone {
		w.registry.Drop(k)
	}
	w.metrics.RegistryTools.Set(float64(w.registry.Len()))
	w.known.give()
}

// Changed takes one document.
func (w registryWatch) Changed(e stream.Entry) {
	w.take(&e)
	w.metrics.RegistryTools.Set(float64(w.registry.Len()))
}

// take puts one document into the registry and returns its key; one that can't be read leaves the tool as it was.
func (w registryWatch) take(e *stream.Entry) (drift.Key, bool) {
	names, ok := stream.SplitKey(e.Key)
	if !ok || len(names) != 2 {
		return drift.Key{}, false
	}
	k := drift.Key{Server: names[0], Tool: names[1]}
	if e.Deleted {
		w.registry.Drop(k)
		return k, true
	}
	doc, err := drift.DecodeDocument(e.Value)
	if err == nil {
		err = w.registry.Put(doc)
	}
	if err != nil {
		w.metrics.RegistryErrors.Inc()
		w.log.Warn("a registry document can't be used as a whole", slog.String("tool", k.String()), slog.Any("error", err))
	}
	return k, true
}
