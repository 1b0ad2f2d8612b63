package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
)

func (p *program) canaryStatusCommand() *cobra.Command {
	var tool toolFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "status [TOOL]",
		Short: "Say how the canaries that are under way fare beside the active versions",
		Long:  toolNameHelp,
		RunE: func(c *cobra.Command, args []string) error {
			name, _ := tool.take(args)
			return p.canaryStatus(c.Context(), name, asJSON)
		},
	}
	tool.add(c, -1, 0)
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// shownCanary is a canary as JSON.
type shownCanary struct {
	Server string `json:"server"`
	Tool   string `json:"tool"`
	// Active is the version that the other conversations use.
	Active string `json:"active"`
	*drift.Canary
	// Report compares the calls of both; nil where ClickHouse was not reached.
	Report *drift.CanaryReport `json:"report,omitzero"`
}

func (p *program) canaryStatus(ctx context.Context, name toolName, asJSON bool) error {
	return p.withBuckets(ctx, func(b *buckets) error {
		docs, err := p.canaryDocuments(ctx, b, name)
		if err != nil {
			return err
		}
		all := p.shownCanaries(ctx, docs)
		if asJSON {
			return p.printJSON(notNil(all))
		}
		if len(all) == 0 {
			return report.Note(p.Out, "No canary is under way.", report.StyleOf(p.Out, p.Getenv))
		}
		return p.buffered(func(w io.Writer) {
			for i := range all {
				writeCanary(w, &all[i])
			}
		})
	})
}

// canaryDocuments returns the documents of all tools that have a canary, or that of one tool where it has one.
func (p *program) canaryDocuments(ctx context.Context, b *buckets, name toolName) (documentList, error) {
	var docs documentList
	var err error
	if name == (toolName{}) {
		docs, err = p.documents(ctx, b)
	} else {
		var d *drift.Document
		d, err = b.document(ctx, name)
		docs = append(docs, d)
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(docs, func(d *drift.Document) bool { return d.Canary == nil }), nil
}

// shownCanaries says how canaries stand, with what the calls say where ClickHouse is reached.
func (p *program) shownCanaries(ctx context.Context, docs documentList) []shownCanary {
	reports := map[drift.Key]*drift.CanaryReport{}
	if len(docs) > 0 {
		var err error
		if reports, err = p.canaryReports(ctx, docs); err != nil {
			_, _ = fmt.Fprintf(p.Err, "tooltrail: ClickHouse is not reached, so it is not said how the calls fare: %s\n", report.Safe(err.Error()))
		}
	}
	var out []shownCanary
	for _, d := range docs {
		s := shownCanary{Server: d.Server, Tool: d.Tool, Canary: d.Canary, Report: reports[d.Key()]}
		if v := d.Active(); v != nil {
			s.Active = v.Version
		}
		out = append(out, s)
	}
	return out
}

// canaryReports compares the calls of both cohorts of each canary, as the analyzer does.
func (p *program) canaryReports(ctx context.Context, docs documentList) (map[drift.Key]*drift.CanaryReport, error) {
	cfg, err := p.runningAnalyzer()
	if err != nil {
		return nil, err
	}
	out := map[drift.Key]*drift.CanaryReport{}
	err = p.withStore(ctx, func(db *store.DB) error {
		now := time.Now().UTC() // canaries look back as far as they need to, whatever the window
		r, _, err := drift.Analyze(ctx, db, finding.Window{From: now, To: now}, cfg.Drift, docs)
		for i := range r.Canaries {
			c := &r.Canaries[i]
			out[drift.Key{Server: c.Server, Tool: c.Tool}] = c
		}
		return err
	})
	return out, err
}

// documentList is documents as [drift.Schemas].
type documentList []*drift.Document

// Keys lists the tools.
func (l documentList) Keys() []drift.Key {
	out := make([]drift.Key, len(l))
	for i, d := range l {
		out[i] = d.Key()
	}
	return out
}

// Document finds a tool's.
func (l documentList) Document(k drift.Key) *drift.Document {
	for _, d := range l {
		if d.Key() == k {
			return d
		}
	}
	return nil
}

func writeCanary(w io.Writer, c *shownCanary) {
	text := fmt.Sprintf("%s: %s beside %s, for %s of conversations since %s by %s, hash key %s", drift.Key{Server: c.Server, Tool: c.Tool},
		c.Version, c.Active, report.Percent(c.Share), c.StartedAt.UTC().Format(time.RFC3339), c.StartedBy, c.HashKey)
	_, _ = fmt.Fprintln(w, report.Safe(text))
	if c.Report != nil {
		writeCanaryReport(w, c.Report)
	}
}

// canaryWords say a verdict.
var canaryWords = map[drift.CanaryVerdict]string{drift.CanaryWorse: "worse", drift.CanaryNoWorse: "no worse", drift.CanaryTooEarly: "too early to say"}

func writeCanaryReport(w io.Writer, r *drift.CanaryReport) {
	_, _ = fmt.Fprintf(w, "  %s%s\n", canaryWords[r.Verdict], neededText(r))
	for _, c := range []struct {
		name  string
		calls *drift.CohortCalls
	}{{"canary", &r.CanaryCalls}, {"baseline", &r.BaselineCalls}} {
		_, _ = fmt.Fprintf(w, "  %-8s  %s of %s; drift %s of %d judged, errors %s of %d run\n", c.name, report.Plural(int64(c.calls.Calls), "call"), //nolint:gosec // counts
			report.Plural(int64(c.calls.Conversations), "conversation"), report.Percent(c.calls.DriftRatio), c.calls.Judged, //nolint:gosec // counts
			report.Percent(c.calls.ErrorRatio), c.calls.Ran)
	}
	writeDifference(w, "drift", r.Drift, r.DriftVerdict)
	writeDifference(w, "errors", r.Errors, r.ErrorVerdict)
	if r.LeftOut > 0 {
		_, _ = fmt.Fprintf(w, "  left out  %s of clients that had the other version\n", report.Plural(int64(r.LeftOut), "call")) //nolint:gosec // a count
	}
}

// neededText says what is missing to decide.
func neededText(r *drift.CanaryReport) string {
	switch {
	case r.Verdict != drift.CanaryTooEarly:
		return ""
	case r.ConversationsNeeded > 0:
		return fmt.Sprintf(": %s more are needed at least", report.Plural(r.ConversationsNeeded, "conversation"))
	case r.CallsNeeded > 0:
		return fmt.Sprintf(": about %s more of the canary would decide", report.Plural(r.CallsNeeded, "call"))
	case r.CallsNeeded < 0:
		return ": the difference lies so near the margin that no number of calls would decide"
	}
	return ""
}

// writeDifference says how much larger the canary's ratio is, in percentage points.
func writeDifference(w io.Writer, name string, d drift.Difference, v drift.CanaryVerdict) {
	_, _ = fmt.Fprintf(w, "  %-8s  %+.1f points, %+.1f to %+.1f with 95 %% confidence: %s\n", name, 100*d.Value, 100*d.Low, 100*d.High, canaryWords[v])
}
