// Package service is what the programs share: how they start and end, serve HTTP and wait for the store.
package service

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// ServerHelp lists the variables that stream.Config and store.Config read and for which there are no flags.
const ServerHelp = `  TOOLTRAIL_NATS_USER, _PASSWORD, _TOKEN, _NKEY, _CREDS    who to be at NATS (NKEY and CREDS are files)
  TOOLTRAIL_NATS_TLS_CA, _TLS_CERT, _TLS_KEY               PEM files
  TOOLTRAIL_CLICKHOUSE_USER, _PASSWORD                     who to be at ClickHouse
  TOOLTRAIL_CLICKHOUSE_DATABASE, _CLUSTER                  database (tooltrail) and cluster (none)
  TOOLTRAIL_NATS_INBOX                                     prefix of the subjects that answers come on (_INBOX)
  NAME_FILE, for each NAME that ends in _PASSWORD or _TOKEN: a file that holds it
  SSL_CERT_FILE                                            PEM file of the authorities to trust, for ClickHouse
`

// Context returns a context that the first signal to stop ends. The second one ends the process at once.
func Context() context.Context {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx
}

// program is what a command does with its arguments and environment.
type program func(ctx context.Context, args []string, getenv func(string) string, errOut io.Writer) error

// Main is the main function of a program: it runs it until it ends or a signal stops it. An error is printed and makes the exit
// status 1; that help was asked for is none. Secrets may be given by files ([WithSecretFiles]). NAME healthy URL asks an address and
// ends with 0 when it is healthy ([Healthy]).
func Main(name string, run program) {
	err := start(Context(), os.Args[1:], run)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

func start(ctx context.Context, args []string, run program) error {
	if len(args) == 2 && args[0] == "healthy" {
		return Healthy(ctx, args[1])
	}
	getenv, err := WithSecretFiles(os.Getenv)
	if err != nil {
		return err
	}
	return run(ctx, args, getenv, os.Stderr)
}

// Parse reads flags; more than flags is an error. The help is what the program is about, the flags and the environment.
func Parse(fs *flag.FlagSet, args []string, about, environment string) error {
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), about+"\n\nFlags:\n")
		fs.PrintDefaults()
		fmt.Fprint(fs.Output(), environment)
	}
	if err := fs.Parse(args); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("read flags: unexpected argument %q", fs.Arg(0))
	}
	return nil
}

// Logger returns a log of JSON lines.
func Logger(out io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(out, &slog.HandlerOptions{Level: level}))
}

// Registry returns the metrics of the process, for those of the program to join.
func Registry() *prometheus.Registry {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return reg
}
