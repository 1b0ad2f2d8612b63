package embedded

import (
	"context"
	"time"
)

// natsGrace bounds how long the NATS server may take to stop.
const natsGrace = 10 * time.Second

// ServeNATS runs a NATS server until ctx ends. ready is called once, with the
// server's address, when it accepts connections.
func ServeNATS(ctx context.Context, cfg NATSConfig, ready func(addr string)) error {
	n, err := StartNATS(cfg)
	if err != nil {
		return err
	}
	ready(n.Addr())
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), natsGrace)
	defer cancel()
	return n.Shutdown(stop)
}

// ServeEngine runs the ClickHouse engine until ctx ends; statements that run
// then have cfg.CloseGrace to end. ready is called once,
// with the address of its HTTP interface, when it takes queries.
func ServeEngine(ctx context.Context, cfg EngineConfig, ready func(addr string)) error {
	e, err := OpenEngine(cfg)
	if err != nil {
		return err
	}
	ready(e.Addr())
	<-ctx.Done()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.CloseGrace)
	defer cancel()
	return e.Close(stop)
}
