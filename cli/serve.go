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
	var listen string
	c := &cobra.Command{
		Use:   "nats",
		Short: "Run the NATS server with JetStream",
		Args:  cobra.NoArgs,
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
			cfg := p.set.natsServer(dir, listen, log)
			return p.serveServer(c.Context(), "nats", func(ctx context.Context, ready func(string)) error {
				return embedded.ServeNATS(ctx, cfg, ready)
			})
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:4222", "HOST:PORT to listen on; port 0 picks a free one")
	return c
}

func (p *program) serveEngineCommand() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "engine",
		Short: "Run the ClickHouse engine behind its HTTP interface",
		Args:  cobra.NoArgs,
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
			cfg := p.set.engine(dir, listen, log)
			return p.serveServer(c.Context(), "clickhouse", func(ctx context.Context, ready func(string)) error {
				return embedded.ServeEngine(ctx, cfg, ready)
			})
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:8123", "HOST:PORT to listen on; port 0 picks a free one")
	return c
}
