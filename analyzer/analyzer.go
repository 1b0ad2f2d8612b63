package analyzer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/prefix"
)

// Querier reads stored events: it runs query with positional arguments, fills row (a pointer to a struct with ch tags) for
// each result and calls fn.
type Querier interface {
	Each(ctx context.Context, query string, args []any, row any, fn func() error) error
}

// Keeper keeps findings: the same fact, told apart by its fingerprint, is one finding with a first and a last time seen. And it keeps what
// became of requests and of names. What it keeps is there for a [Querier] in the table findings and those of [JudgmentKeeper].
type Keeper interface {
	SaveFindings(ctx context.Context, fs []finding.Finding) error
	JudgmentKeeper
}

// JudgmentKeeper keeps what detectors judged of single requests and calls.
type JudgmentKeeper interface {
	prefix.VerdictKeeper
	activation.CallKeeper
}

// Publisher tells others of a new finding.
type Publisher interface {
	Publish(ctx context.Context, subject string, data []byte) error
}

// Analyzer runs the detectors. Make one with [New].
type Analyzer struct {
	cfg       Config
	q         Querier
	keep      Keeper
	pub       Publisher
	settlers  settlers
	metrics   *metrics.Analyzer
	log       *slog.Logger
	now       func() time.Time
	settings  *SettingsFile          // nil where they do not change
	registry  *Registry              // nil where there is none
	detectors []detector             // those of tests; nil are all
	healthy   atomic.Int64           // unix nanoseconds of the last run in which no detector failed
	started   atomic.Int64           // unix nanoseconds of the start of Run
	hushed    atomic.Pointer[hushed] // what the last run read

	running     sync.Mutex        // one run at a time; guards what follows
	unpublished []finding.Finding // new findings that wait for the publisher
	looked      time.Time         // when the last run looked for what changed
	began       time.Time         // when the first run began
	ended       map[string]bool   // the detectors that ended without an error once
}

// New returns an analyzer that starts nothing. A nil keep keeps nothing, so that each run looks at all requests of its window anew where no
// other analyzer keeps what became of them; a nil pub publishes no findings.
func New(cfg Config, q Querier, keep Keeper, pub Publisher, m *metrics.Analyzer, log *slog.Logger) (*Analyzer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("check analyzer settings: %w", err)
	}
	a := &Analyzer{cfg: cfg, q: q, keep: keep, pub: pub, metrics: m, log: log, now: time.Now, ended: map[string]bool{}}
	if keep != nil {
		a.settlers = settlers{prefix.NewSettler(q, keep), activation.NewSettler(q, countedNames{keep, m.NamesJudged})}
	}
	return a, nil
}

// FollowSettings has each run look at a settings file anew. It is for before the first run.
func (a *Analyzer) FollowSettings(f *SettingsFile) { a.settings = f }

// UseRegistry gives the detectors the registry. While it is not known, a report says so as incomplete. It is for before the first run.
func (a *Analyzer) UseRegistry(r *Registry) { a.registry = r }

// current returns the detectors by the settings as they are now, and notes in the report what they have to do without.
func (a *Analyzer) current(r *Report) []detector {
	if a.detectors != nil {
		return a.detectors
	}
	cfg := a.cfg
	if a.settings != nil {
		now := a.settings.Current()
		cfg.Drift, cfg.Prefix, cfg.Activation = now.Drift, now.Prefix, now.Activation
	}
	if a.registry == nil {
		return detectors(cfg, nil, a.settlers)
	}
	if err := a.registry.Err(); err != nil {
		r.Incomplete = append(r.Incomplete, "registry (examples, canaries, versions that can go): "+err.Error())
		return detectors(cfg, nil, a.settlers)
	}
	a.metrics.RegistryTools.Set(float64(a.registry.Len()))
	return detectors(cfg, a.registry, a.settlers)
}

// Once looks at one window and reports. A detector that fails leaves its part of the report empty, its reason in
// Incomplete and its error in the returned error; the others' parts are there. Runs wait for each other.
func (a *Analyzer) Once(ctx context.Context, w finding.Window) (Report, error) {
	a.running.Lock()
	defer a.running.Unlock()
	if a.began.IsZero() {
		a.began = a.now()
	}
	r := Report{Window: w}
	var errs []error
	failed := map[string]bool{}
	for _, d := range a.current(&r) {
		if err := a.detect(ctx, d, &r); err != nil {
			failed[d.name] = true
			errs = append(errs, fmt.Errorf("run detector %s: %w", d.name, err))
			r.Incomplete = append(r.Incomplete, d.name+": "+err.Error())
		}
	}
	r.sortFindings()
	a.setWindow(&r, failed)
	a.setStore(ctx, !failed[summaryDetector])
	if err := a.keepFindings(ctx, &r); err != nil {
		errs = append(errs, err)
	} else {
		a.setAlerts(ctx, &r, failed)
		errs = append(errs, a.publishAll(ctx))
	}
	if a.keep != nil {
		a.setSilenced(ctx)
	}
	return r, errors.Join(errs...)
}

// detect runs one detector under its deadline and counts how it went.
func (a *Analyzer) detect(ctx context.Context, d detector, r *Report) error {
	if a.cfg.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.cfg.Timeout)
		defer cancel()
	}
	start := a.now()
	found, err := d.run(ctx, a.q, r)
	a.metrics.DetectorDuration.WithLabelValues(d.name).Observe(a.now().Sub(start).Seconds())
	if err != nil {
		a.metrics.DetectorErrors.WithLabelValues(d.name).Inc()
		if !a.ended[d.name] {
			a.metrics.LastSuccess.WithLabelValues(d.name).Set(float64(a.began.Unix()))
		}
		return err
	}
	a.ended[d.name] = true
	a.metrics.LastSuccess.WithLabelValues(d.name).Set(float64(a.now().Unix()))
	r.Findings = append(r.Findings, found...)
	return nil
}

// sortFindings puts the worst first: by severity, then by what it costs, then by name so that two runs agree.
func (r *Report) sortFindings() {
	if r.Findings == nil {
		r.Findings = []finding.Finding{}
	}
	slices.SortStableFunc(r.Findings, func(a, b finding.Finding) int {
		return cmp.Or(
			cmp.Compare(b.Severity.Rank(), a.Severity.Rank()),
			cmp.Compare(b.Numbers["cost_usd"], a.Numbers["cost_usd"]),
			cmp.Compare(b.Numbers["tokens_lost"], a.Numbers["tokens_lost"]),
			strings.Compare(a.Detector, b.Detector),
			strings.Compare(a.Rule, b.Rule),
			cmp.Compare(b.Numbers["ratio"], a.Numbers["ratio"]),
			cmp.Compare(b.Numbers["schema_ratio"], a.Numbers["schema_ratio"]),
			cmp.Compare(b.Numbers["calls"], a.Numbers["calls"]),
			strings.Compare(a.Title, b.Title),
		)
	})
}
