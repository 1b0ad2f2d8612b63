package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cmd/internal/service"
	"github.com/tooltrail/tooltrail/ingest"
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
	ingest   ingest.Config
	names    ingest.ResolverConfig
	intake   ingest.IntakeConfig
	limits   metrics.Limits
	// migrate says to bring the tables forward and end.
	migrate bool
}

const environment = `
Environment (a flag wins where there is one):
  TOOLTRAIL_NATS, TOOLTRAIL_CLICKHOUSE, TOOLTRAIL_INGEST_LISTEN, TOOLTRAIL_PARTITIONS, TOOLTRAIL_SETTINGS, TOOLTRAIL_LOG_LEVEL
` + service.ServerHelp + `  TOOLTRAIL_INTAKE_TOKEN                                   bearer token that POST /v1/events must carry
`

// readSettings reads flags and environment and checks what they say.
func readSettings(args []string, getenv func(string) string, out io.Writer) (*settings, error) {
	s := &settings{stream: stream.DefaultConfig(), store: store.DefaultConfig(), ingest: ingest.DefaultConfig(), names: ingest.DefaultResolverConfig(),
		intake: ingest.DefaultIntakeConfig(), limits: metrics.DefaultLimits()}
	s.environment(getenv)
	fs := flag.NewFlagSet("ingest", flag.ContinueOnError)
	fs.SetOutput(out)
	partitions := fs.String("partitions", cmp.Or(getenv("TOOLTRAIL_PARTITIONS"), "1"), "how many `partitions` agents use: all are read")
	file := fs.String("settings", getenv("TOOLTRAIL_SETTINGS"), "YAML `file` of settings, read at the start: names are looked up by its section activation (see docs/settings.md)")
	only := fs.String("only", "", "read only these of the partitions, such as 0,3-5 (all)")
	level := fs.String("log-level", cmp.Or(getenv("TOOLTRAIL_LOG_LEVEL"), "info"), "debug, info, warn or error")
	s.serverFlags(fs, getenv)
	s.ingestFlags(fs)
	s.nameFlags(fs)
	s.intakeFlags(fs)
	s.limits.Flags(fs)
	if err := service.Parse(fs, args, "ingest moves events from NATS JetStream into ClickHouse. ingest healthy URL ends with 0 when URL answers 200.", environment); err != nil {
		return nil, err
	}
	var err error
	if s.intake.Partitions, s.ingest.Partitions, err = partitionsOf(*partitions, *only); err != nil {
		return nil, err
	}
	if err := s.logLevel.UnmarshalText([]byte(*level)); err != nil {
		return nil, fmt.Errorf("read log level: %w", err)
	}
	if s.names.Settings, err = activationSettings(*file); err != nil {
		return nil, err
	}
	return s, errors.Join(s.stream.Validate(), s.store.Validate(), s.ingest.Validate(), s.names.Validate(), s.intake.Validate(), s.limits.Validate())
}

// activationSettings returns what a settings file says of activation, the defaults without one.
func activationSettings(file string) (activation.Settings, error) {
	all := analyzer.DefaultConfig()
	err := all.UseSettings(file)
	return all.Activation, err
}

// environment takes the servers and what is secret or seldom set, which has no flag.
func (s *settings) environment(getenv func(string) string) {
	s.stream.Name = "tooltrail-ingest"
	s.stream.FromEnvironment(getenv)
	s.store.FromEnvironment(getenv)
	s.intake.Token = getenv("TOOLTRAIL_INTAKE_TOKEN")
}

func (s *settings) serverFlags(fs *flag.FlagSet, getenv func(string) string) {
	fs.StringVar(&s.listen, "listen", cmp.Or(getenv("TOOLTRAIL_INGEST_LISTEN"), "127.0.0.1:8090"), "`address` of /metrics, /healthz, /readyz and POST /v1/events")
	fs.StringVar(&s.stream.URL, "nats", s.stream.URL, "`URL` of NATS, several with commas")
	fs.StringVar(&s.store.Address, "clickhouse", s.store.Address, "`URL` of ClickHouse: http://, https:// or clickhouse://")
	fs.DurationVar(&s.stream.MaxAge, "stream-max-age", s.stream.MaxAge, "how long the event stream keeps a message; ClickHouse must keep events for longer, and an outage of it must be shorter")
	fs.Int64Var(&s.stream.MaxBytes, "stream-max-bytes", s.stream.MaxBytes, "how many `bytes` the event stream keeps (0: no limit)")
	fs.DurationVar(&s.stream.DeadLetterMaxAge, "dead-letter-max-age", s.stream.DeadLetterMaxAge, "how long the dead-letter stream keeps a message")
	fs.DurationVar(&s.stream.Duplicates, "duplicates", s.stream.Duplicates, "how long the stream knows a message id: publishers stop trying again before half of it")
	fs.IntVar(&s.stream.Replicas, "stream-replicas", s.stream.Replicas, "`servers` that keep a copy of the streams: 1, 3 or 5")
	fs.IntVar(&s.store.RetentionDays, "retention-days", s.store.RetentionDays, "`days` that ClickHouse keeps events (0: for ever)")
	fs.BoolVar(&s.migrate, "migrate", false, "bring ClickHouse's tables forward and end; needs the rights for that, which the programs do not")
}

func (s *settings) ingestFlags(fs *flag.FlagSet) {
	c := &s.ingest
	fs.IntVar(&c.MaxRows, "batch-rows", c.MaxRows, "most `events` in a batch")
	fs.IntVar(&c.MaxBytes, "batch-bytes", c.MaxBytes, "most message `bytes` in a batch")
	fs.DurationVar(&c.MaxAge, "batch-age", c.MaxAge, "longest that a batch waits to be filled")
	fs.Int64Var(&c.Memory, "memory", c.Memory, "`bytes` that batches may take in memory")
	fs.IntVar(&c.PullBytes, "pull-bytes", c.PullBytes, "`bytes` that a lane asks NATS for at a time")
	fs.IntVar(&c.MaxInserts, "inserts", c.MaxInserts, "most `inserts` at one time")
	fs.IntVar(&c.RecentIDs, "recent-ids", c.RecentIDs, "event `ids` kept by lane to leave out events published twice")
	fs.IntVar(&c.MaxLetters, "max-letters", c.MaxLetters, "refused `lines` of one message that become dead letters of their own; further ones share one")
	fs.IntVar(&c.MaxRefused, "max-refused", c.MaxRefused, "`rows` that ClickHouse may refuse one after the other before the lane waits")
	fs.DurationVar(&c.InsertTimeout, "insert-timeout", c.InsertTimeout, "end of one try of an insert")
	fs.DurationVar(&c.RetryMin, "retry-min", c.RetryMin, "first wait between tries")
	fs.DurationVar(&c.RetryMax, "retry-max", c.RetryMax, "longest wait between tries")
	fs.DurationVar(&c.PositionMaxAge, "position-max-age", c.PositionMaxAge, "age at which a position is read again before an insert")
	fs.DurationVar(&c.Heartbeat, "heartbeat", c.Heartbeat, "how often NATS says that a consumer lives")
	fs.DurationVar(&c.PollInterval, "poll", c.PollInterval, "how often lag and gaps are looked for")
	fs.DurationVar(&c.Grace, "grace", c.Grace, "time to store what was fetched after a signal to stop")
	fs.DurationVar(&c.LeaseTTL, "lease-ttl", c.LeaseTTL, "share the lanes with other ingesters; a dead one's lanes wait this long (0: no leases)")
}

func (s *settings) nameFlags(fs *flag.FlagSet) {
	c := &s.names
	fs.IntVar(&c.Conversations, "names-conversations", c.Conversations, "`conversations` whose tools are remembered to look up names that came without a resolution (0: leave all to the analyzer)")
	fs.IntVar(&c.Names, "names-loaded", c.Names, "loaded `names` remembered of a conversation; one with more is left to the analyzer")
	fs.IntVar(&c.Rosters, "names-rosters", c.Rosters, "`rosters` in a row remembered of a conversation or an agent")
	fs.IntVar(&c.RosterTools, "names-roster-tools", c.RosterTools, "`tools` of all remembered rosters together, each content once")
}

func (s *settings) intakeFlags(fs *flag.FlagSet) {
	c := &s.intake
	fs.Int64Var(&c.MaxBodyBytes, "intake-body-bytes", c.MaxBodyBytes, "most `bytes` in a body of POST /v1/events")
	fs.IntVar(&c.MaxLineBytes, "intake-line-bytes", c.MaxLineBytes, "most `bytes` in a line of it")
	fs.IntVar(&c.MaxBodies, "intake-bodies", c.MaxBodies, "most `bodies` at one time")
	fs.IntVar(&c.MaxErrors, "intake-errors", c.MaxErrors, "most bad `lines` that an answer lists")
	fs.DurationVar(&c.ReadTimeout, "intake-read-timeout", c.ReadTimeout, "longest that a body may take to come")
	fs.DurationVar(&c.PublishTimeout, "intake-publish-timeout", c.PublishTimeout, "longest that NATS may take to ack a body")
}

// partitionsOf reads how many partitions there are and which of them are read: 0,3-5 or, when empty, all.
func partitionsOf(count, only string) (n int, read []int, err error) {
	if n, err = strconv.Atoi(count); err != nil || n < 1 || n > 4096 {
		return 0, nil, fmt.Errorf("read partitions %q: want a number from 1 to 4096", count)
	}
	if only == "" {
		only = "0-" + strconv.Itoa(n-1)
	}
	for part := range strings.SplitSeq(only, ",") {
		from, to, ranged := strings.Cut(part, "-")
		if !ranged {
			to = from
		}
		a, errA := strconv.Atoi(from)
		b, errB := strconv.Atoi(to)
		if errA != nil || errB != nil || a < 0 || b < a || b >= n {
			return 0, nil, fmt.Errorf("read partitions to read %q: want numbers under %d, such as 0,3-5", only, n)
		}
		for p := a; p <= b; p++ {
			read = append(read, p)
		}
	}
	return n, read, nil
}
