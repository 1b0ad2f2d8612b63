package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/capture/mcpserver"
	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// snapshot is one reading of a server, and what is done with it.
type snapshot struct {
	p       *program
	o       snapshotOptions
	compare drift.ListOptions
	at      time.Time
	// b is nil where no tooltrail runs.
	b      *buckets
	list   *mcpserver.Listing
	report snapshotReport
}

// snapshotReport is what schema snapshot says.
type snapshotReport struct {
	Server    string `json:"server"`
	Release   string `json:"release,omitzero"`
	Protocol  string `json:"protocol"`
	Transport string `json:"transport"`
	Tools     int    `json:"tools"`
	Pages     int    `json:"pages"`
	Bytes     int64  `json:"bytes"`
	DryRun    bool   `json:"dry_run,omitzero"`
	// Against is what the tools are compared with: file, registry, or empty where nothing of the server is known.
	Against        string                `json:"against"`
	AgainstRelease string                `json:"against_release,omitzero"`
	Comparison     *drift.ListComparison `json:"comparison"`
	Problems       []mcpserver.Problem   `json:"problems"`
	// Registered are the documents of the registry that changed.
	Registered []registered `json:"registered"`
	// Published counts events.
	Published int `json:"published"`
	// Written says that the file has the release now as another one than before.
	Written bool `json:"written"`
}

// What a snapshot is compared with.
const (
	againstFile     = "file"
	againstRegistry = "registry"
)

// errNoServerName asks for the name of a server that does not say one.
var errNoServerName = errors.New("--server: the server does not say its name")

// errNotTaken says that some tools of a server could not be taken.
var errNotTaken = errors.New("could not be taken")

// take reads the server, compares, keeps and prints. What was found is printed also where keeping it failed.
func (s *snapshot) take(ctx context.Context, cfg mcpserver.Config) (err error) {
	if s.list, err = mcpserver.List(ctx, cfg); err != nil {
		return err
	}
	if s.list.Server = cmp.Or(s.o.server, s.list.Server); s.list.Server == "" {
		return usageError{errNoServerName}
	}
	l := s.list
	if _, err := keyOf(drift.Key{Server: l.Server}); err != nil {
		return usageError{fmt.Errorf("--server: name it otherwise: %w", err)}
	}
	l.Release = cmp.Or(s.o.release, l.Release)
	s.report = snapshotReport{
		Server: l.Server, Release: l.Release, Protocol: l.Protocol, Transport: l.Transport, Tools: len(l.Tools), Pages: l.Pages, Bytes: l.Bytes,
		DryRun: s.o.dryRun, Problems: notNil(l.Problems), Registered: []registered{},
	}
	last, err := s.last(ctx)
	if err != nil {
		return err
	}
	offered, err := plainForms(l.Definitions(false))
	if err == nil {
		s.report.Comparison, err = drift.CompareLists(last, offered, s.compare)
	}
	if err != nil {
		return fmt.Errorf("compare tools of %s: %w", l.Server, err)
	}
	return errors.Join(s.keep(ctx), s.print(), s.verdict())
}

// plainForms writes definitions as the registry keeps them, so that the same are the same bytes.
func plainForms(all []jsontext.Value) ([]jsontext.Value, error) {
	out := make([]jsontext.Value, len(all))
	for i, v := range all {
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("read definition %d: not JSON", i+1)
		}
		out[i] = raw
	}
	return out, nil
}

// last returns the definitions that were known of the server before.
func (s *snapshot) last(ctx context.Context) ([]jsontext.Value, error) {
	inFile, err := s.lastInFile()
	if err != nil {
		return nil, err
	}
	if inFile != nil {
		s.report.Against, s.report.AgainstRelease = againstFile, inFile.Name
		return plainForms(inFile.Tools)
	}
	if s.b == nil {
		return nil, nil
	}
	all, err := s.p.documents(ctx, s.b)
	if err != nil {
		return nil, err
	}
	return plainForms(s.known(ofServer(all, s.list.Server)))
}

// known are the definitions that documents have of tools that are in use.
func (s *snapshot) known(docs []*drift.Document) []jsontext.Value {
	offered := map[string]string{}
	for i := range s.list.Tools {
		offered[s.list.Tools[i].Name] = s.list.Tools[i].Digests.Definition
	}
	var out []jsontext.Value
	var newestOne *drift.VersionEntry
	for _, d := range docs {
		v := knownVersion(d, offered[d.Tool])
		if v == nil {
			continue
		}
		s.report.Against = againstRegistry
		out = append(out, v.Definition)
		if newestOne == nil || v.RegisteredAt.After(newestOne.RegisteredAt) {
			newestOne, s.report.AgainstRelease = v, v.Release
		}
	}
	return out
}

// knownVersion is the version of a tool that an offered definition is compared with: the active one, or the newest. Where people decide
// which is active, one that they know is no news.
func knownVersion(d *drift.Document, offered string) *drift.VersionEntry {
	for i := range d.Versions {
		if d.Managed && d.Versions[i].DefinitionDigest == offered {
			return &d.Versions[i]
		}
	}
	v := newest(d)
	if v != nil && v.State == drift.StateRetired {
		return nil
	}
	return v
}

// keep writes the file, the registry and the events, and goes on after an error.
func (s *snapshot) keep(ctx context.Context) error {
	if s.o.dryRun {
		return nil
	}
	var errs []error
	if s.o.file != "" {
		errs = append(errs, s.writeFile())
	}
	if s.b != nil && !s.o.noRegister {
		errs = append(errs, s.register(ctx))
	}
	if s.b != nil && !s.o.noPublish {
		errs = append(errs, s.publish(ctx))
	}
	return errors.Join(errs...)
}

// registeredBy is who registers what a snapshot finds.
const registeredBy = "snapshot"

// register puts the definitions into the registry. One that it refuses is a problem, as one that could not be taken.
func (s *snapshot) register(ctx context.Context) error {
	r := registrar{b: s.b, edit: drift.Edit{At: s.at, By: registeredBy}}
	for _, def := range s.list.ToolDefinitions() {
		done, err := r.register(ctx, &definition{def: *def})
		if err != nil {
			return fmt.Errorf("register %s: %w", def.ToolName, err)
		}
		switch done.Change {
		case changeUnchanged:
		case changeRefused:
			s.report.Problems = append(s.report.Problems, mcpserver.Problem{Tool: def.ToolName, Reason: "not registered: " + done.Error})
		default:
			s.report.Registered = append(s.report.Registered, done)
		}
	}
	return nil
}

// publish says in events what the server offers.
func (s *snapshot) publish(ctx context.Context) (err error) {
	evs, bad := s.list.Events(events.Digester{}, s.at)
	for _, e := range bad {
		s.report.Problems = append(s.report.Problems, mcpserver.Problem{Reason: "not published: " + e.Error()})
	}
	log, err := s.p.logger(slog.LevelError)
	if err != nil {
		return err
	}
	cfg := client.DefaultConfig()
	cfg.Conn, cfg.NoHeartbeat, cfg.NoRegistry, cfg.Log = s.b.js.Conn(), true, true, log
	c, err := client.Start(cfg)
	if err != nil {
		return fmt.Errorf("publish events: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		err = errors.Join(err, c.Close(closing))
	}()
	if err := c.Publish(ctx, evs...); err != nil {
		return fmt.Errorf("publish events: %w", err)
	}
	s.report.Published = len(evs)
	return nil
}

// verdict is the error of tools that could not be taken, or of changes that --fail-on asks about.
func (s *snapshot) verdict() error {
	var n int64
	for i := range s.report.Problems {
		if p := &s.report.Problems[i]; p.Page > 0 || p.Tool != "" {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("%d of the server's tools %w", n, errNotTaken)
	}
	c := s.report.Comparison.Class
	if s.report.Against != "" && (s.o.failOn != "none" && c == drift.Breaking || s.o.failOn == "unknown" && c == drift.UnknownClass) {
		return errFindings
	}
	return nil
}
