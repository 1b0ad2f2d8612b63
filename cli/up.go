package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/ingest"
	"github.com/tooltrail/tooltrail/metrics"
)

// upOptions are the flags of up.
type upOptions struct {
	listen, page     string
	interval, window time.Duration
	// limits bound the names that metrics have.
	limits metrics.Limits
}

func (p *program) upCommand() *cobra.Command {
	o := upOptions{limits: metrics.DefaultLimits()}
	c := &cobra.Command{
		Use:   "up",
		Short: "Run all of Tooltrail on this machine until it is stopped, keeping its data",
		Long: `Run NATS, the ClickHouse engine, the ingester with its HTTP intake, the analyzer on its clock, and the breaker, which disables tools
whose calls fail validation in a row, in one process. The data is kept in the data directory. With --nats or --clickhouse a URL, that
server is used and none of its kind is started.
Listening beyond loopback needs TOOLTRAIL_NATS_PASSWORD, TOOLTRAIL_CLICKHOUSE_PASSWORD or TOOLTRAIL_INTAKE_TOKEN; for the page
TOOLTRAIL_PAGE_TOKEN, TOOLTRAIL_PAGE_HOSTS, and TLS or a trusted proxy.

` + environmentHelp,
		Args: argCount(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return p.up(c.Context(), o) },
	}
	p.set.upFlags(c.Flags())
	p.set.pricesFlag(c.Flags())
	p.set.settingsFlag(c.Flags())
	d := analyzer.DefaultConfig()
	c.Flags().StringVar(&o.listen, "listen", "127.0.0.1:8090", "HOST:PORT of the HTTP intake, metrics and health; port 0 picks a free one")
	c.Flags().StringVar(&o.page, "page", pageAddress, "HOST:PORT of the page to look at with a browser, a free port where this one is in use; empty for none")
	spanVar(c.Flags(), &o.interval, "interval", d.Interval, "how often the analyzer looks")
	spanVar(c.Flags(), &o.window, "window", d.Window, "how far back it looks, in event time; 0 looks at everything")
	limits := flag.NewFlagSet("limits", flag.ContinueOnError)
	o.limits.Flags(limits)
	c.Flags().AddGoFlagSet(limits)
	return c
}

// up is the whole command.
func (p *program) up(ctx context.Context, o upOptions) (err error) {
	started := time.Now()
	log, err := p.logger(slog.LevelWarn)
	if err != nil {
		return err
	}
	if err := p.checkUp(o); err != nil {
		return err
	}
	hold, err := lockData(p.set.Data)
	if err != nil {
		return err
	}
	var stops stack
	stops.push(func(context.Context) error { return hold.release() })
	defer func() {
		err = errors.Join(err, stops.stop())
	}()
	// A part that ends by itself ends all of it.
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	s, err := p.startUp(ctx, &stops, o, log, fail)
	if err != nil {
		return err
	}
	s.PID, s.Version, s.Started = os.Getpid(), p.version, started.UTC()
	if err := hold.write(s); err != nil {
		return err
	}
	p.welcome(s, time.Since(started))
	<-ctx.Done()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	_, _ = fmt.Fprintln(p.Err, "stopping")
	return nil
}

// checkUp refuses what can't be before anything is started.
func (p *program) checkUp(o upOptions) error {
	if err := o.limits.Validate(); err != nil {
		return usageError{fmt.Errorf("read --label flags: %w", err)}
	}
	_, err := p.dataDirectory()
	return cmp.Or(err, checkListen("listen", o.listen), p.checkPage(o.page), checkListen("nats", p.set.NATS), checkListen("clickhouse", p.set.ClickHouse))
}

// startUp starts all parts and returns their addresses.
func (p *program) startUp(ctx context.Context, stops *stack, o upOptions, log *slog.Logger, fail func(error)) (state, error) {
	an, err := p.set.thresholds()
	if err != nil {
		return state{}, err
	}
	first := an // with what the file says at the start
	if err := first.UseSettings(p.set.Settings); err != nil {
		return state{}, usageError{err}
	}
	at, err := p.set.startServers(stops, p.set.Data, endpoints{p.set.NATS, p.set.ClickHouse}, log)
	if err != nil {
		return state{}, err
	}
	b, err := p.set.openBackend(ctx, stops, at, log)
	if err != nil {
		return state{}, err
	}
	an.Interval, an.Window = o.interval, o.window
	first.Interval, first.Window = o.interval, o.window
	line, err := newPipeline(ctx, b, ingest.DefaultConfig(), first, true, log)
	if err != nil {
		return state{}, err
	}
	*line.metrics.Limits, line.analyzing.Limits = o.limits, o.limits
	file, err := analyzer.OpenSettings(p.set.Settings, an, nil, line.analyzing, log)
	if err != nil {
		return state{}, usageError{err}
	}
	parts, err := line.parts(p.set.stream(at.NATS), file, log)
	if err != nil {
		return state{}, err
	}
	ended := func(part string) func(error) {
		return func(err error) { fail(fmt.Errorf("%s ended: %w", part, errors.Join(err, errEnded))) }
	}
	for _, part := range parts {
		stops.spawn(part.run, ended(part.name))
	}
	addr, err := p.serveHTTP(stops, line, o.listen, log, ended("HTTP server"))
	if err != nil {
		return state{}, err
	}
	look, err := p.servePage(stops, b.db, o.page, log, ended("page"))
	if err != nil {
		return state{}, err
	}
	prices, err := absolute(p.set.Prices)
	if err != nil {
		return state{}, err
	}
	path, err := absolute(p.set.Settings)
	if err != nil {
		return state{}, err
	}
	return state{NATS: at.NATS, ClickHouse: at.ClickHouse, HTTP: "http://" + addr, Page: look, WindowSeconds: o.window.Seconds(), Settings: path, Prices: prices}, nil
}

var (
	// errEnded says that a part ended that should have gone on.
	errEnded = errors.New("it should have gone on")
	// errTokenNeeded says that the intake would be open to other machines.
	errTokenNeeded = errors.New("listening beyond loopback needs TOOLTRAIL_INTAKE_TOKEN")
)

// serveHTTP serves the intake, metrics and health, and returns the address.
func (p *program) serveHTTP(stops *stack, line *pipeline, listen string, log *slog.Logger, failed func(error)) (string, error) {
	cfg := ingest.DefaultIntakeConfig()
	cfg.Token, cfg.Metrics, cfg.Log = p.Getenv("TOOLTRAIL_INTAKE_TOKEN"), line.metrics, log
	if cfg.Token == "" && !isLoopback(listen) {
		return "", fmt.Errorf("listen on %s: %w", listen, errTokenNeeded)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return "", sayTaken("listen", fmt.Errorf("listen for HTTP: %w", err))
	}
	srv := &http.Server{
		Handler:           line.ingester.Handler(line.registry, ingest.NewIntake(line.js, cfg)),
		ReadHeaderTimeout: 10 * time.Second,
	}
	stops.spawn(func(ctx context.Context) error {
		context.AfterFunc(ctx, func() { _ = shutdown(srv) })
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve HTTP: %w", err)
		}
		return nil
	}, failed)
	return l.Addr().String(), nil
}

func shutdown(srv *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopGrace/3)
	defer cancel()
	return srv.Shutdown(ctx)
}

// isLoopback reports whether only this machine reaches an address to listen on.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// welcome says where everything is and what to do with it.
func (p *program) welcome(s state, took time.Duration) {
	command := p.sameData()
	_, _ = fmt.Fprintf(p.Out, `tooltrail %s is up (%s); its data is in %s

  NATS        %s
  HTTP        %s   POST /v1/events, GET /metrics /healthz /readyz
  ClickHouse  %s   database %s

See the page:    %s
Publish events:  curl --data-binary @events.ndjson %s/v1/events
Add recordings:  %s import FILE...
See the report:  %s report%s
Stop it:         Ctrl-C
`, p.version, report.Took(took), report.Safe(p.set.Data), s.NATS, s.HTTP, s.ClickHouse, p.set.store("").Database, cmp.Or(s.Page, "none, --page is empty"), s.HTTP,
		command, command, p.findingsHint(s))
}

// sameData is how to call tooltrail so that it finds this one.
func (p *program) sameData() string {
	if dir := cmp.Or(p.Getenv(envData), defaultData(p.Getenv)); dir == p.set.Data {
		return "tooltrail"
	}
	return fmt.Sprintf("TOOLTRAIL_DATA=%q tooltrail", report.Safe(p.set.Data))
}

// findingsHint says how far back findings are looked for: events that are older are in reports alone.
func (p *program) findingsHint(s state) string {
	if s.WindowSeconds == 0 {
		return ""
	}
	span := strings.TrimSuffix(strings.TrimSuffix(time.Duration(s.WindowSeconds*float64(time.Second)).String(), "0s"), "0m")
	return "   (findings and alerts are on the last " + span + "; --window 0 looks at all)"
}
