package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// source is a list of tools that is compared, and the versions that its tools are known by, by name.
type source struct {
	release  *drift.Release
	versions map[string]string
}

// registryName starts the names of what is in the registry.
const registryName = "registry"

// readSource reads a file, a directory, or what the registry has. Where all of the registry is asked for, server says of which server.
func (p *program) readSource(ctx context.Context, path string, server *string) (*source, error) {
	if path != registryName && !strings.HasPrefix(path, registryName+":") {
		r, err := readRelease(path)
		if err != nil {
			return nil, err
		}
		return &source{r, statedVersions(r)}, nil
	}
	var out *source
	err := p.withBuckets(ctx, func(b *buckets) error {
		all, err := p.documents(ctx, b)
		if err != nil {
			return err
		}
		out, err = sourceOf(all, strings.TrimPrefix(path[len(registryName):], ":"), server)
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		return nil
	})
	return out, err
}

// statedVersions are the versions that the tools of a file state themselves.
func statedVersions(r *drift.Release) map[string]string {
	out := map[string]string{}
	for _, raw := range r.Tools {
		if t, err := events.ParseTool(raw); err == nil {
			out[t.Name] = statedVersion(t.Schema)
		}
	}
	return out
}

// nameOf is the name in a definition; empty where it can't be read.
func nameOf(definition jsontext.Value) string {
	t, err := events.ParseTool(definition)
	if err != nil {
		return ""
	}
	return t.Name
}

// called returns a definition under the name that its tool has in the registry, whatever name it has in itself.
func called(definition jsontext.Value, name string) jsontext.Value {
	t, err := events.ParseTool(definition)
	if err != nil || t.Name == name {
		return definition
	}
	members := map[string]any{"name": name, "description": t.Description}
	if len(t.Schema) > 0 {
		members["inputSchema"] = t.Schema
	}
	raw, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return definition
	}
	return raw
}

// bareSchema is the name that a file's bare schema has, see [drift.ReadReleases].
const bareSchema = "schema"

// named gives a bare schema the name of the one tool that it is compared with.
func (s *source) named(was *source) error {
	if len(s.release.Tools) != 1 || len(was.release.Tools) != 1 || nameOf(s.release.Tools[0]) != bareSchema {
		return nil
	}
	t, err := events.ParseTool(s.release.Tools[0])
	if err != nil {
		return err
	}
	name := nameOf(was.release.Tools[0])
	raw, err := json.Marshal(map[string]any{"name": name, "inputSchema": t.Schema})
	if err != nil {
		return fmt.Errorf("name schema: %w", err)
	}
	s.release.Tools[0], s.versions = raw, map[string]string{name: statedVersion(t.Schema)}
	return nil
}

var (
	errNothingActive = errors.New("no active version is registered")
	errWhichServer   = errors.New("tools of several servers are registered: name one, as registry:SERVER or with --server")
	errNoSource      = errors.New("neither a server nor a tool of that name is registered")
)

// sourceOf finds what a name stands for: a server's active versions, a tool's active one, or one version of a tool.
func sourceOf(all []*drift.Document, name string, server *string) (*source, error) {
	if name == "" && server == nil {
		for _, d := range all {
			if d.Server != all[0].Server {
				return nil, errWhichServer
			}
		}
		return activeOf(all)
	}
	if name == "" {
		return activeOf(ofServer(all, *server))
	}
	d, err := documentNamed(all, name)
	if err != nil || d != nil {
		return versionSource(d, "", err)
	}
	if of := ofServer(all, name); len(of) > 0 {
		return activeOf(of)
	}
	at := strings.LastIndexByte(name, '@')
	if at > 0 {
		d, err = documentNamed(all, name[:at])
	}
	if d == nil && err == nil {
		err = errNoSource
	}
	return versionSource(d, name[at+1:], err)
}

func ofServer(all []*drift.Document, server string) []*drift.Document {
	return slices.DeleteFunc(slices.Clone(all), func(d *drift.Document) bool { return d.Server != server })
}

// documentNamed finds the document of a tool as a person names it; nil where there is none.
func documentNamed(all []*drift.Document, name string) (*drift.Document, error) {
	known := make([]drift.Key, len(all))
	for i, d := range all {
		known[i] = d.Key()
	}
	k, found, err := toolName{text: name}.find(known)
	if err != nil || !found {
		return nil, err
	}
	return all[slices.Index(known, k)], nil
}

// activeOf is the list of the active versions. Its release is the one that was registered last.
func activeOf(all []*drift.Document) (*source, error) {
	out := &source{&drift.Release{}, map[string]string{}}
	var last *drift.VersionEntry
	for _, d := range all {
		v := d.Active()
		if v == nil {
			continue
		}
		out.release.Server = d.Server
		out.release.Tools = append(out.release.Tools, called(v.Definition, d.Tool))
		out.versions[d.Tool] = v.Version
		if v.Release != "" && (last == nil || v.RegisteredAt.After(last.RegisteredAt)) {
			last = v
		}
	}
	if len(out.release.Tools) == 0 {
		return nil, errNothingActive
	}
	if last != nil {
		out.release.Name, out.release.At = last.Release, last.RegisteredAt
	}
	return out, nil
}

// versionSource is a list of one version.
func versionSource(d *drift.Document, version string, err error) (*source, error) {
	if err != nil {
		return nil, err
	}
	v, err := versionOf(d, version)
	if err != nil {
		return nil, err
	}
	return &source{
		&drift.Release{Name: v.Release, Server: d.Server, At: v.RegisteredAt, Tools: []jsontext.Value{called(v.Definition, d.Tool)}},
		map[string]string{d.Tool: v.Version},
	}, nil
}

// raised lists the tools whose own version has a higher major number in is; version is that of all of them where it is given.
func (s *source) raised(is *source, version string) []string {
	var out []string
	for tool, before := range s.versions {
		after, still := is.versions[tool]
		if version != "" {
			after = version
		}
		if still && drift.MajorRaised(before, after) {
			out = append(out, tool)
		}
	}
	slices.Sort(out)
	return out
}

// without returns the definitions of all tools but some.
func (s *source) without(names []string) []jsontext.Value {
	return slices.DeleteFunc(slices.Clone(s.release.Tools), func(raw jsontext.Value) bool { return slices.Contains(names, nameOf(raw)) })
}
