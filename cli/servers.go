package cli

import (
	"context"
	"fmt"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"github.com/tooltrail/tooltrail/embedded"
)

// endpoints are where NATS and ClickHouse are.
type endpoints struct {
	NATS, ClickHouse string
}

// startServers starts, side by side, the servers that are not URLs of servers elsewhere: at holds for each a URL, or an address to
// listen on. It returns the URLs of both.
func (s *settings) startServers(stops *stack, dir string, at endpoints, log *slog.Logger) (endpoints, error) {
	var natsServer *embedded.NATS
	var engine *embedded.Engine
	var starting errgroup.Group
	if !isURL(at.NATS) {
		starting.Go(func() (err error) {
			natsServer, err = embedded.StartNATS(s.natsServer(dir, at.NATS, log))
			return sayTaken("nats", err)
		})
	}
	if !isURL(at.ClickHouse) {
		starting.Go(func() (err error) {
			engine, err = embedded.OpenEngine(s.engine(dir, at.ClickHouse, log))
			return sayTaken("clickhouse", err)
		})
	}
	err := starting.Wait()
	if natsServer != nil {
		stops.push(natsServer.Shutdown)
		at.NATS = natsServer.URL()
	}
	if engine != nil {
		stops.push(engine.Close)
		at.ClickHouse = "http://" + engine.Addr()
	}
	if err != nil {
		return endpoints{}, fmt.Errorf("start servers: %w", err)
	}
	return at, nil
}

// serveServer runs one server alone until ctx ends and says where it listens.
func (p *program) serveServer(ctx context.Context, name string, serve func(ctx context.Context, ready func(addr string)) error) error {
	err := serve(ctx, func(addr string) {
		_, _ = fmt.Fprintf(p.Out, "%s %s\n", name, addr)
	})
	if err != nil {
		return fmt.Errorf("serve %s: %w", name, sayTaken("listen", err))
	}
	return nil
}
