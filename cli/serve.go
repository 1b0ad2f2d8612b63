package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/embedded"
)

func (p *program) serveCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use:   "serve",
		Short: "Run the built-in NATS server or ClickHouse engine alone",
		Long: `Run one of the built-in servers alone, in the foreground, with its data below the data directory.
The address is printed when it is ready. Listening beyond loopback needs a password ($TOOLTRAIL_NATS_PASSWORD,
$TOOLTRAIL_CLICKHOUSE_PASSWORD).`,
	})
	p.set.dataFlag(c.PersistentFlags())
	c.AddCommand(p.serveNATSCommand(), p.serveEngineCommand())
	return c
}

func (p *program) serveNATSCommand() *cobra.Command {
	return p.serveOne("nats", "Run the NATS server with JetStream", "127.0.0.1:4222",
		func(ctx context.Context, dir, listen string, log *slog.Logger) error {
			cfg := p.set.natsServer(dir, listen, log)
			return p.serveServer(ctx, "nats", func(ctx context.Context, ready func(string)) error {
				return embedded.ServeNATS(ctx, cfg, ready)
			})
		})
}

func (p *program) serveEngineCommand() *cobra.Command {
	return p.serveOne("engine", "Run the ClickHouse engine behind its HTTP interface", "127.0.0.1:8123",
		func(ctx context.Context, dir, listen string, log *slog.Logger) error {
			cfg := p.set.engine(dir, listen, log)
			return p.serveServer(ctx, "clickhouse", func(ctx context.Context, ready func(string)) error {
				return embedded.ServeEngine(ctx, cfg, ready)
			})
		})
}

// serveOne is the command that runs one server, with its data directory and its address checked.
func (p *program) serveOne(name, short, address string, run func(ctx context.Context, dir, listen string, log *slog.Logger) error) *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   name,
		Short: short,
		Args:  argCount(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			log, err := p.logger(slog.LevelWarn)
			if err != nil {
				return err
			}
			dir, err := p.dataDirectory()
			if err == nil {
				err = checkListen("listen", listen)
			}
			if err != nil {
				return err
			}
			return run(c.Context(), dir, listen, log)
		},
	}
	c.Flags().StringVar(&listen, "listen", address, "HOST:PORT to listen on; port 0 picks a free one")
	return c
}
