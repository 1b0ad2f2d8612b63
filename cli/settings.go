package cli

import (
	"cmp"
	"crypto/rand"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/embedded"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// settings are what all commands share. Flags win over the environment; what is secret, or seldom set, has no flag.
type settings struct {
	getenv func(string) string
	// Data is the data directory of `tooltrail up`.
	Data string
	// NATS and ClickHouse are addresses; what an empty one means depends on the command.
	NATS, ClickHouse string
	LogLevel         string
	// Prices is a file of prices that go before the built-in ones.
	Prices string
	// Settings is a file of thresholds.
	Settings string
	// Scope is what a report looks at.
	Scope finding.Scope
}

// Environment variables of the shared settings.
const (
	envData       = "TOOLTRAIL_DATA"
	envLogLevel   = "TOOLTRAIL_LOG_LEVEL"
	envNATS       = "TOOLTRAIL_NATS"
	envClickHouse = "TOOLTRAIL_CLICKHOUSE"
	envPrices     = "TOOLTRAIL_PRICES"
	envSettings   = "TOOLTRAIL_SETTINGS"
)

// environmentHelp lists the variables that have no flag.
const environmentHelp = `Environment without flags:
  TOOLTRAIL_NATS_USER, _PASSWORD, _TOKEN, _NKEY, _CREDS     who to be at NATS (NKEY and CREDS are files)
  TOOLTRAIL_NATS_TLS_CA, _TLS_CERT, _TLS_KEY                PEM files
  TOOLTRAIL_NATS_INBOX                                      prefix of the subjects that answers come on (_INBOX)
  TOOLTRAIL_CLICKHOUSE_USER, _PASSWORD                      who to be at ClickHouse
  TOOLTRAIL_CLICKHOUSE_DATABASE, _CLUSTER                   database (tooltrail) and cluster (none)
  TOOLTRAIL_INTAKE_TOKEN                                    bearer token that POST /v1/events must carry
  TOOLTRAIL_PAGE_TOKEN, _HOSTS                              what who opens the page must say; names that browsers call it by
  TOOLTRAIL_PAGE_TLS_CERT, _TLS_KEY, _PROXIES               PEM files, or the addresses of a proxy with TLS before it
  NAME_FILE, for each NAME that ends in _PASSWORD or _TOKEN a file that holds it
  TOOLTRAIL_ENGINE_LIB                                      path of libchdb.so
  NO_COLOR, COLUMNS                                         how reports are printed`

// read takes the environment.
func (s *settings) read(getenv func(string) string) {
	*s = settings{
		getenv: getenv, Data: cmp.Or(getenv(envData), defaultData(getenv)), NATS: getenv(envNATS), ClickHouse: getenv(envClickHouse),
		Prices: getenv(envPrices), Settings: getenv(envSettings), LogLevel: getenv(envLogLevel),
	}
}

func (s *settings) logFlag(fs *pflag.FlagSet) {
	fs.StringVar(&s.LogLevel, "log-level", s.LogLevel, "log from this `level` on: debug, info, warn or error ($"+envLogLevel+")")
}

func (s *settings) dataFlag(fs *pflag.FlagSet) {
	fs.StringVar(&s.Data, "data", s.Data, "data `directory` ($"+envData+")")
}

func (s *settings) pricesFlag(fs *pflag.FlagSet) {
	fs.StringVar(&s.Prices, "prices", s.Prices, "JSON `file` of model prices that go before the built-in ones ($"+envPrices+")")
}

func (s *settings) settingsFlag(fs *pflag.FlagSet) {
	fs.StringVar(&s.Settings, "settings", s.Settings, "YAML `file` of thresholds; docs/settings.md has them all ($"+envSettings+")")
}

// scopeFlags narrow a report.
func (s *settings) scopeFlags(fs *pflag.FlagSet) {
	fs.StringVar(&s.Scope.Agent, "agent", "", "look only at events of the agent of this `name`")
	fs.StringVar(&s.Scope.Environment, "environment", "", "look only at events of this environment")
	fs.StringVar(&s.Scope.Team, "team", "", "look only at events of this team")
}

// runningFlags are those of commands that talk to a running tooltrail.
func (s *settings) runningFlags(fs *pflag.FlagSet) {
	s.dataFlag(fs)
	fs.StringVar(&s.NATS, "nats", s.getenv(envNATS), "`URL` of NATS; that of the running tooltrail where it is not given ($"+envNATS+")")
	fs.StringVar(&s.ClickHouse, "clickhouse", s.getenv(envClickHouse), "`URL` of ClickHouse; that of the running tooltrail where it is not given ($"+envClickHouse+")")
}

// upFlags are those of the command that runs it.
func (s *settings) upFlags(fs *pflag.FlagSet) {
	s.dataFlag(fs)
	fs.StringVar(&s.NATS, "nats", cmp.Or(s.getenv(envNATS), "127.0.0.1:4222"), "`address` that NATS listens on, or a URL of one to use instead ($"+envNATS+")")
	fs.StringVar(&s.ClickHouse, "clickhouse", cmp.Or(s.getenv(envClickHouse), "127.0.0.1:8123"), "`address` that ClickHouse listens on, or a URL of one to use instead ($"+envClickHouse+")")
}

// isURL tells the address of a server to use from one to listen on.
func isURL(addr string) bool { return strings.Contains(addr, "://") }

// stream returns how to connect to the NATS at a URL.
func (s *settings) stream(url string) stream.Config {
	cfg := stream.DefaultConfig()
	cfg.FromEnvironment(s.getenv)
	cfg.URL = url
	return cfg
}

// store returns how to connect to the ClickHouse at a URL.
func (s *settings) store(url string) store.Config {
	cfg := store.DefaultConfig()
	cfg.FromEnvironment(s.getenv)
	cfg.Address = url
	return cfg
}

// thresholds returns how to analyze, but for the settings file.
func (s *settings) thresholds() (analyzer.Config, error) {
	cfg := analyzer.DefaultConfig()
	if err := cfg.UsePrices(s.Prices); err != nil {
		return cfg, usageError{err}
	}
	return cfg, nil
}

// analyzer returns how to analyze.
func (s *settings) analyzer() (analyzer.Config, error) {
	cfg, err := s.thresholds()
	if err != nil {
		return cfg, err
	}
	if err := cfg.UseSettings(s.Settings); err != nil {
		return cfg, usageError{err}
	}
	return cfg, nil
}

// natsServer returns how to run the built-in NATS server.
func (s *settings) natsServer(dir, listen string, log *slog.Logger) embedded.NATSConfig {
	cfg := embedded.DefaultNATSConfig(filepath.Join(dir, "nats"))
	cfg.Listen = cmp.Or(listen, cfg.Listen)
	client := s.stream("")
	cfg.User, cfg.Password = client.User, client.Password
	cfg.Logger = log.With(slog.String("part", "nats"))
	return cfg
}

// engine returns how to run the built-in ClickHouse engine.
func (s *settings) engine(dir, listen string, log *slog.Logger) embedded.EngineConfig {
	cfg := embedded.DefaultEngineConfig(filepath.Join(dir, "engine"))
	cfg.Listen = cmp.Or(listen, cfg.Listen)
	if client := s.store(""); client.Username != "" {
		cfg.User, cfg.Password = client.Username, client.Password
	}
	cfg.Logger = log.With(slog.String("part", "engine"))
	return cfg
}

// private are the settings for servers of our own that nobody else is to reach: a password of their own, no cluster.
func (s *settings) private() *settings {
	secret := rand.Text()
	quiet := *s
	quiet.getenv = func(name string) string {
		switch name {
		case "TOOLTRAIL_NATS_USER", "TOOLTRAIL_CLICKHOUSE_USER":
			return "tooltrail"
		case "TOOLTRAIL_NATS_PASSWORD", "TOOLTRAIL_CLICKHOUSE_PASSWORD":
			return secret
		}
		return ""
	}
	return &quiet
}
