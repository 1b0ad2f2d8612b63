package client_test

import (
	"context"
	"os"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/stream"
)

// exampleServer starts a NATS server with Tooltrail's streams; the function it returns removes its files.
func exampleServer() (*server.Server, func(), error) {
	dir, err := os.MkdirTemp("", "tooltrail-example-")
	if err != nil {
		return nil, nil, err
	}
	s, err := newServer(server.Options{}, dir)
	if err != nil {
		return nil, nil, err
	}
	cfg := stream.DefaultConfig()
	cfg.URL = s.ClientURL()
	nc, err := stream.Connect(cfg, nil)
	if err != nil {
		return nil, nil, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, nil, err
	}
	return s, func() { _ = os.RemoveAll(dir) }, stream.Ensure(context.Background(), js, cfg)
}
