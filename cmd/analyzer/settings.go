package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cmd/internal/service"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// settings are all that the command can be told.
type settings struct {
	listen   string
	logLevel slog.Level
	stream   stream.Config
	store    store.Config
	analyzer analyzer.Config
	breaker  analyzer.BreakerConfig
	limits   metrics.Limits
	// file is the settings file, empty without one.
	file string
	// given are the flags that were given, which win over the file.
	given map[string]string
}

const environment = `
Environment (a flag wins where there is one):
  TOOLTRAIL_NATS, TOOLTRAIL_CLICKHOUSE, TOOLTRAIL_ANALYZER_LISTEN, TOOLTRAIL_SETTINGS, TOOLTRAIL_PRICES,
  TOOLTRAIL_LOG_LEVEL
` + service.ServerHelp

// readSettings reads flags and environment and checks what they say.
func readSettings(args []string, getenv func(string) string, out io.Writer) (*settings, error) {
	s := &settings{stream: stream.DefaultConfig(), store: store.DefaultConfig(), analyzer: analyzer.DefaultConfig(), breaker: analyzer.DefaultBreakerConfig(), limits: metrics.DefaultLimits()}
	s.environment(getenv)
	fs := flag.NewFlagSet("analyzer", flag.ContinueOnError)
	fs.SetOutput(out)
	level := fs.String("log-level", cmp.Or(getenv("TOOLTRAIL_LOG_LEVEL"), "info"), "debug, info, warn or error")
	fs.StringVar(&s.listen, "listen", cmp.Or(getenv("TOOLTRAIL_ANALYZER_LISTEN"), "127.0.0.1:8091"), "`address` of /metrics and /healthz")
	fs.StringVar(&s.stream.URL, "nats", s.stream.URL, "`URL` of NATS, several with commas")
	fs.StringVar(&s.store.Address, "clickhouse", s.store.Address, "`URL` of ClickHouse: http://, https:// or clickhouse://")
	fs.IntVar(&s.store.RetentionDays, "retention-days", s.store.RetentionDays, "`days` that ClickHouse keeps events (0: for ever); the same for all programs")
	prices := fs.String("prices", getenv("TOOLTRAIL_PRICES"), "JSON `file` of prices that go before the built-in ones")
	fs.StringVar(&s.file, "settings", getenv("TOOLTRAIL_SETTINGS"), "YAML `file` of thresholds, read anew when it changes; flags win over it (see docs/settings.md)")
	s.clockFlags(fs)
	thresholdFlags(fs, &s.analyzer)
	s.limits.Flags(fs)
	fs.DurationVar(&s.breaker.Since, "breaker-since", s.breaker.Since, "how old the calls are that are read where no checkpoint is")
	if err := service.Parse(fs, args, "analyzer looks on a clock at what is stored, keeps what it finds and publishes what is new. analyzer healthy URL ends with 0 when URL answers 200.", environment); err != nil {
		return nil, err
	}
	s.given = map[string]string{}
	fs.Visit(func(f *flag.Flag) { s.given[f.Name] = f.Value.String() })
	if err := s.logLevel.UnmarshalText([]byte(*level)); err != nil {
		return nil, fmt.Errorf("read log level: %w", err)
	}
	if err := s.analyzer.UsePrices(*prices); err != nil {
		return nil, err
	}
	return s, errors.Join(s.stream.Validate(), s.store.Validate(), s.analyzer.Validate(), s.breaker.Validate(), s.limits.Validate())
}

// environment takes the servers and what is secret or seldom set, which has no flag.
func (s *settings) environment(getenv func(string) string) {
	s.stream.Name = "tooltrail-analyzer"
	s.stream.FromEnvironment(getenv)
	s.store.FromEnvironment(getenv)
}

func (s *settings) clockFlags(fs *flag.FlagSet) {
	c := &s.analyzer
	fs.DurationVar(&c.Interval, "interval", c.Interval, "time from one run to the next")
	fs.DurationVar(&c.Window, "window", c.Window, "how far back a run looks, in event time (0: everything)")
	fs.DurationVar(&c.Timeout, "timeout", c.Timeout, "end of a detector that takes longer (0: none)")
}

// thresholdFlags are those for what the settings file can say too.
func thresholdFlags(fs *flag.FlagSet, c *analyzer.Config) {
	fs.Float64Var(&c.Drift.WarnRatio, "drift-warn", c.Drift.WarnRatio, "`share` of drifted calls or changed schemas, 0 to 1, strictly over which is a warning")
	fs.Float64Var(&c.Drift.CriticalRatio, "drift-critical", c.Drift.CriticalRatio, "`share` strictly over which is critical")
	fs.Uint64Var(&c.Drift.MinCalls, "drift-min-calls", c.Drift.MinCalls, "`calls` that a ratio needs to be more than a note")
	fs.Float64Var(&c.Prefix.MinReadShare, "prefix-min-read", c.Prefix.MinReadShare, "`share` of the expected cache read, 0 to 1, under which a request broke the cache")
	fs.Int64Var(&c.Prefix.WarnTokens, "prefix-warn-tokens", c.Prefix.WarnTokens, "lost `tokens` from which a finding is a warning")
	fs.Int64Var(&c.Prefix.CriticalTokens, "prefix-critical-tokens", c.Prefix.CriticalTokens, "lost `tokens` from which it is critical")
	fs.BoolVar(&c.Breaker.Off, "breaker-off", c.Breaker.Off, "disable no tool, and tell nobody that one should be")
	fs.BoolVar(&c.Breaker.DryRun, "breaker-dry-run", c.Breaker.DryRun, "tell which tools would be disabled, and disable none")
	fs.IntVar(&c.Breaker.Errors, "breaker-errors", c.Breaker.Errors, "validation `errors` in a row, of one tool and schema version, that disable it")
	fs.IntVar(&c.Breaker.MinConversations, "breaker-conversations", c.Breaker.MinConversations, "`conversations` that they have to be in")
	fs.DurationVar(&c.Breaker.CoolDown, "breaker-cool-down", c.Breaker.CoolDown, "time after which one call is tried that may enable it again (0: a person enables it)")
}

// override sets the thresholds for which flags were given, over those of the file.
func (s *settings) override(c *analyzer.Config) error {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	thresholdFlags(fs, c)
	for name, value := range s.given {
		if fs.Lookup(name) == nil {
			continue
		}
		if err := fs.Set(name, value); err != nil {
			return fmt.Errorf("set -%s: %w", name, err)
		}
	}
	return nil
}
