package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/store"
)

func (p *program) pageCommand() *cobra.Command {
	listen := pageAddress
	c := &cobra.Command{
		Use:   "page",
		Short: "Serve the page of a store that another Tooltrail fills, until it is stopped",
		Long: `Serve the page on the store of a running tooltrail, or on that of TOOLTRAIL_CLICKHOUSE, such as the one of docker-compose.yml. tooltrail up serves
it itself. Listening beyond loopback needs TOOLTRAIL_PAGE_TOKEN, TOOLTRAIL_PAGE_HOSTS, and TLS or a trusted proxy.

` + environmentHelp,
		Args: argCount(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return p.page(c.Context(), listen) },
	}
	p.set.dataFlag(c.Flags())
	c.Flags().StringVar(&listen, "listen", listen, "HOST:PORT to serve it on, a free port where this one is in use")
	return c
}

func (p *program) page(ctx context.Context, listen string) error {
	log, err := p.logger(slog.LevelWarn)
	if err != nil {
		return err
	}
	if listen == "" {
		return usageError{errors.New("--listen: say HOST:PORT")}
	}
	if err := p.checkPage(listen); err != nil {
		return err
	}
	return p.withStore(ctx, func(db *store.DB) (err error) {
		var stops stack
		defer func() { err = errors.Join(err, stops.stop()) }()
		ctx, fail := context.WithCancelCause(ctx)
		defer fail(nil)
		at, err := p.servePage(&stops, db, listen, log, func(err error) { fail(fmt.Errorf("page ended: %w", errors.Join(err, errEnded))) })
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(p.Out, "The page is at %s; Ctrl-C stops it.\n", at)
		<-ctx.Done()
		if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
			return cause
		}
		return nil
	})
}
