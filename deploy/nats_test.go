package deploy_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/client"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// natsServer runs a server by nats.conf, on a free port and with its files in a temporary folder, and returns its URL and the secrets.
func natsServer(t *testing.T) (url, secrets string) {
	t.Helper()
	secrets = secretsIn(t)
	dir := t.TempDir()
	conf := strings.NewReplacer("/run/secrets/", secrets+"/", "port: 4222", "port: -1", `http: "127.0.0.1:8222"`, "", "/data", filepath.Join(dir, "data")).
		Replace(read(t, "nats/nats.conf"))
	write(t, filepath.Join(dir, "nats.conf"), conf)
	write(t, filepath.Join(dir, "keys.conf"), read(t, filepath.Join(secrets, "nats_keys.conf")))
	opts, err := server.ProcessConfigFile(filepath.Join(dir, "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	opts.NoSigs, opts.NoLog, opts.Host = true, true, "127.0.0.1"
	srv, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	go srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(30*time.Second) || !srv.JetStreamEnabled() {
		t.Fatal("the server is not ready")
	}
	return "tls://" + srv.Addr().String(), secrets
}

// settingsOf are a user's settings, as docker-compose.yml gives them.
func settingsOf(url, secrets, user string) stream.Config {
	c := stream.DefaultConfig()
	c.URL, c.NkeySeedFile, c.TLSCA, c.Inbox = url, filepath.Join(secrets, "nats_"+user+".nk"), filepath.Join(secrets, "ca.crt"), "_INBOX_"+user
	return c
}

func connect(t *testing.T, c stream.Config) jetstream.JetStream {
	t.Helper()
	nc, err := stream.Connect(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if err := stream.WaitConnected(t.Context(), nc); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// refused reports whether the server did not permit what was asked; it does not answer then.
func refused(t *testing.T, ask func(context.Context) error) bool {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer stop()
	err := ask(ctx)
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, nats.ErrPermissionViolation) || errors.Is(err, jetstream.ErrNoStreamResponse)
}

func TestAnAgentDoesItsWorkOverNATSAndNoMore(t *testing.T) {
	url, secrets := natsServer(t)
	ingest := connect(t, settingsOf(url, secrets, "ingest"))
	if err := stream.Ensure(t.Context(), ingest, stream.DefaultConfig()); err != nil {
		t.Fatal(err)
	}
	operator := stream.NewBucket(connect(t, settingsOf(url, secrets, "operator")), stream.RegistryBucket)
	document := func([]byte) ([]byte, error) { return []byte(`{"server":"shop","tool":"get_order"}`), nil }
	if _, err := operator.Change(t.Context(), "shop.get_order", document); err != nil {
		t.Errorf("operator registers a tool: %v", err)
	}

	cfg := client.DefaultConfig()
	cfg.NATS = settingsOf(url, secrets, "agent")
	c, err := client.Start(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	if err := c.WaitRegistry(ctx); err != nil {
		t.Errorf("an agent watches the registry: %v", err)
	}
	c.ToolCallStart(events.Context{ConversationID: "c1"}, "get_order", nil).End(events.OutcomeOK, "")
	if err := c.Close(ctx); err != nil {
		t.Errorf("an agent publishes: %v", err)
	}

	agent := connect(t, settingsOf(url, secrets, "agent"))
	for what, ask := range map[string]func(context.Context) error{
		"reads events": func(ctx context.Context) error {
			_, err := agent.CreateConsumer(ctx, stream.Name, jetstream.ConsumerConfig{})
			return err
		},
		"deletes the stream": func(ctx context.Context) error { return agent.DeleteStream(ctx, stream.Name) },
		"writes the registry": func(ctx context.Context) error {
			_, err := agent.Publish(ctx, "$KV."+stream.RegistryBucket+".shop.get_order", []byte("{}"), jetstream.WithRetryAttempts(0))
			return err
		},
		"makes a stream": func(ctx context.Context) error {
			_, err := agent.CreateStream(ctx, jetstream.StreamConfig{Name: "X", Subjects: []string{"x"}})
			return err
		},
	} {
		if !refused(t, ask) {
			t.Errorf("an agent %s", what)
		}
	}
	for user, publishes := range map[string]string{
		"ingest": "$KV." + stream.BreakerBucket + ".shop.get_order", "analyzer": events.Subject(0, events.KindToolCall), "operator": "$KV.tooltrail_ingest_leases.x",
	} {
		js := connect(t, settingsOf(url, secrets, user))
		if !refused(t, func(ctx context.Context) error { return js.DeleteStream(ctx, stream.Name) }) {
			t.Errorf("%s deletes the stream", user)
		}
		if !refused(t, func(ctx context.Context) error {
			_, err := js.Publish(ctx, publishes, []byte("{}"), jetstream.WithRetryAttempts(0))
			return err
		}) {
			t.Errorf("%s publishes to %s", user, publishes)
		}
	}
}

func TestNATSTakesNobodyWithoutAKeyAndNothingWithoutTLS(t *testing.T) {
	url, secrets := natsServer(t)
	for name, opts := range map[string][]nats.Option{
		"no key":       {nats.RootCAs(filepath.Join(secrets, "ca.crt"))},
		"no authority": {},
		"a user":       {nats.RootCAs(filepath.Join(secrets, "ca.crt")), nats.UserInfo("default", "")},
	} {
		nc, err := nats.Connect(url, opts...)
		if err == nil {
			nc.Close()
			t.Errorf("%s: it connects", name)
		}
	}
	if nc, err := nats.Connect(strings.Replace(url, "tls://", "nats://", 1)); err == nil {
		nc.Close()
		t.Error("without TLS it connects")
	}
}
