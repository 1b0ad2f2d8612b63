package embedded

import (
	"context"
	"time"
)

// closeGrace bounds how long a server may take to stop.
const closeGrace = 30 * time.Second

// ServeNATS runs a NATS server until ctx ends. ready is called once, with the
// server's address, when it accepts connections.
func ServeNATS(ctx context.Context, cfg NATSConfig, ready func(addr string)) error {
	n, err := StartNATS(cfg)
	if err != nil {
		return err
	}
	ready(n.Addr())
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
	defer cancel()
	return n.Shutdown(stop)
}

// ServeEngine runs the ClickHouse engine until ctx ends. ready is called once,
// with the address of its HTTP interface, when it takes queries.
func ServeEngine(ctx context.Context, cfg EngineConfig, ready func(addr string)) error {
	e, err := OpenEngine(cfg)
	if err != nil {
		return err
	}
	ready(e.Addr())
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeGrace)
	defer cancel()
	return e.Close(stop)
}
