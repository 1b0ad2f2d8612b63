package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
)

// documents returns all documents of the registry, sorted by server and tool. One that can't be read is named and left out.
func (p *program) documents(ctx context.Context, b *buckets) ([]*drift.Document, error) {
	entries, err := b.registry.All(ctx)
	if err != nil {
		return nil, err
	}
	var out []*drift.Document
	for i := range entries {
		if isOwnKey(entries[i].Key) {
			continue
		}
		d, err := drift.DecodeDocument(entries[i].Value)
		if err != nil {
			_, _ = fmt.Fprintf(p.Err, "tooltrail: read %s of the registry: %s\n", report.Safe(entries[i].Key), report.Safe(err.Error()))
			continue
		}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b *drift.Document) int { return compareKeys(a.Key(), b.Key()) })
	return out, nil
}

// document returns the document of a tool that the registry knows.
func (b *buckets) document(ctx context.Context, n toolName) (*drift.Document, error) {
	k, err := b.findTool(ctx, n)
	if err != nil {
		return nil, err
	}
	key, err := keyOf(k)
	if err != nil {
		return nil, err
	}
	e, err := b.registry.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return drift.DecodeDocument(e.Value)
}

// documentEdit changes a document, as the methods of [drift.Document] do.
type documentEdit func(d *drift.Document) (changed bool, err error)

// changeDocument edits the document of a tool, a new one where there is none, and returns it with what it was before; was is nil
// where there was none.
func (b *buckets) changeDocument(ctx context.Context, k drift.Key, edit documentEdit) (was, is *drift.Document, changed bool, err error) {
	key, err := keyOf(k)
	if err != nil {
		return nil, nil, false, err
	}
	_, err = b.registry.Change(ctx, key, func(old []byte) ([]byte, error) {
		was, is = nil, drift.NewDocument(k)
		if old != nil {
			if was, err = drift.DecodeDocument(old); err != nil {
				return nil, err
			}
			is = was.Clone()
		}
		if changed, err = edit(is); err != nil || !changed {
			return nil, err
		}
		return is.Encode()
	})
	return was, is, changed, err
}

// toolSummary is a document without its definitions, as JSON.
type toolSummary struct {
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Owner   string `json:"owner,omitzero"`
	Managed bool   `json:"managed"`
	// Fallback is the version of calls that name none and fit several.
	Fallback string           `json:"fallback"`
	Canary   *drift.Canary    `json:"canary,omitzero"`
	Versions []versionSummary `json:"versions"`
	Edit     drift.Edit       `json:"edit"`
}

// versionSummary is a version without its definition.
type versionSummary struct {
	Version      string      `json:"version"`
	State        drift.State `json:"state"`
	Since        time.Time   `json:"since"`
	Release      string      `json:"release,omitzero"`
	SchemaDigest string      `json:"schema_digest"`
}

func summaryOf(d *drift.Document) toolSummary {
	s := toolSummary{
		Server: d.Server, Tool: d.Tool, Owner: d.Owner, Managed: d.Managed, Fallback: d.Fallback(), Canary: d.Canary,
		Versions: make([]versionSummary, len(d.Versions)), Edit: d.Edit,
	}
	for i := range d.Versions {
		v := &d.Versions[i]
		s.Versions[i] = versionSummary{v.Version, v.State, v.Since, v.Release, v.SchemaDigest}
	}
	return s
}

// errNoVersion says that a tool has no version of a name.
var errNoVersion = errors.New("no such version")

// versionOf finds a version of a document: the active one where none is named.
func versionOf(d *drift.Document, name string) (*drift.VersionEntry, error) {
	if name == "" {
		if v := d.Active(); v != nil {
			return v, nil
		}
		return nil, fmt.Errorf("%s has no active version: %w", d.Key(), errNoVersion)
	}
	if v := d.Version(name); v != nil {
		return v, nil
	}
	var have []string
	for i := range d.Versions {
		have = append(have, d.Versions[i].Version)
	}
	return nil, fmt.Errorf("%s: %w %q: it has %s", d.Key(), errNoVersion, name, strings.Join(have, ", "))
}

// newest is the active version, or the one registered last.
func newest(d *drift.Document) *drift.VersionEntry {
	if v := d.Active(); v != nil || len(d.Versions) == 0 {
		return v
	}
	return &d.Versions[len(d.Versions)-1]
}
