package stream_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/errgroup"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/stream"
)

// serve starts a NATS server with JetStream on a free port, or on the one of opts.
func serve(t *testing.T, opts server.Options) *server.Server {
	t.Helper()
	opts.Host, opts.JetStream, opts.NoSigs, opts.NoLog = "127.0.0.1", true, true, true
	if opts.Port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	if opts.StoreDir == "" {
		opts.StoreDir = t.TempDir()
	}
	s, err := server.NewServer(&opts)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { stop(s) })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not come up")
	}
	return s
}

func stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

func config(s *server.Server) stream.Config {
	cfg := stream.DefaultConfig()
	cfg.URL, cfg.ReconnectWait = s.ClientURL(), 10*time.Millisecond
	return cfg
}

func connect(t *testing.T, cfg stream.Config) jetstream.JetStream {
	t.Helper()
	nc, err := stream.Connect(cfg, nil)
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

func TestEnsureCreatesOnceAndUpdatesAfter(t *testing.T) {
	s := serve(t, server.Options{})
	cfg := config(s)
	js := connect(t, cfg)
	for range 2 {
		if err := stream.Ensure(t.Context(), js, cfg); err != nil {
			t.Fatal(err)
		}
	}
	ack, err := js.Publish(t.Context(), events.Subject(0, events.KindToolCall), []byte("x"))
	if err != nil || ack.Stream != stream.Name {
		t.Fatalf("have %v, %v", ack, err)
	}
	before := epoch(t, js)
	cfg.MaxAge, cfg.MaxBytes, cfg.Duplicates = 24*time.Hour, 1<<20, time.Minute
	if err := stream.Ensure(t.Context(), js, cfg); err != nil {
		t.Fatal(err)
	}
	st, err := js.Stream(t.Context(), stream.Name)
	if err != nil {
		t.Fatal(err)
	}
	have := st.CachedInfo().Config
	if have.MaxAge != cfg.MaxAge || have.MaxBytes != cfg.MaxBytes || have.Duplicates != cfg.Duplicates || have.Storage != jetstream.FileStorage || have.Retention != jetstream.LimitsPolicy {
		t.Errorf("have %+v", have)
	}
	if st.CachedInfo().State.Msgs != 1 {
		t.Error("the update lost the message")
	}
	if after := epoch(t, js); after != before || len(before) != 19 {
		t.Errorf("epoch: have %s, want %s", after, before)
	}
	for _, bucket := range []string{stream.RegistryBucket, stream.BreakerBucket} {
		if _, err := js.KeyValue(t.Context(), bucket); err != nil {
			t.Errorf("bucket %s: %v", bucket, err)
		}
	}
	if _, err := js.Publish(t.Context(), events.DeadLetterSubject, nil); err != nil {
		t.Errorf("dead letter: %v", err)
	}
}

func TestEnsureByManyAtOnceAgrees(t *testing.T) {
	s := serve(t, server.Options{})
	cfg := config(s)
	js := connect(t, cfg)
	var g errgroup.Group
	for range 8 {
		g.Go(func() error { return stream.Ensure(t.Context(), js, cfg) })
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// epoch returns that of the event stream.
func epoch(t *testing.T, js jetstream.JetStream) string {
	t.Helper()
	s, err := js.Stream(t.Context(), stream.Name)
	if err != nil {
		t.Fatal(err)
	}
	return stream.EpochOf(s.CachedInfo())
}

func TestARecreatedStreamHasAnotherEpoch(t *testing.T) {
	s := serve(t, server.Options{})
	cfg := config(s)
	js := connect(t, cfg)
	ensured := func() string {
		if err := stream.Ensure(t.Context(), js, cfg); err != nil {
			t.Fatal(err)
		}
		return epoch(t, js)
	}
	before := ensured()
	if err := js.DeleteStream(t.Context(), stream.Name); err != nil {
		t.Fatal(err)
	}
	if after := ensured(); after == before {
		t.Errorf("both are %s", after)
	}
}

func TestConnectOutlastsAnAbsentServer(t *testing.T) {
	s := serve(t, server.Options{})
	port, dir := s.Addr().String(), t.TempDir()
	cfg := config(s)
	stop(s)
	nc, err := stream.Connect(cfg, nil)
	if err != nil {
		t.Fatalf("connect to %s: %v", port, err)
	}
	t.Cleanup(nc.Close)
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := stream.WaitConnected(short, nc); err == nil {
		t.Fatal("connected to a server that is away")
	}
	opts := server.Options{Port: portOf(t, cfg.URL), StoreDir: dir}
	for range 2 { // it comes, goes, and comes again
		s := serve(t, opts)
		if err := stream.WaitConnected(t.Context(), nc); err != nil {
			t.Fatal(err)
		}
		stop(s)
	}
	nc.Close()
	if err := stream.WaitConnected(t.Context(), nc); err == nil {
		t.Error("want an error on a closed connection")
	}
}

func TestCredentialsAreTakenFromTheSettings(t *testing.T) {
	seed := filepath.Join(t.TempDir(), "user.nk")
	user, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, _ := user.PublicKey()
	secret, _ := user.Seed()
	if err := os.WriteFile(seed, secret, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		opts server.Options
		set  func(*stream.Config)
	}{
		"user and password": {server.Options{Username: "u", Password: "p"}, func(c *stream.Config) { c.User, c.Password = "u", "p" }},
		"token":             {server.Options{Authorization: "t"}, func(c *stream.Config) { c.Token = "t" }},
		"nkey":              {server.Options{Nkeys: []*server.NkeyUser{{Nkey: public}}}, func(c *stream.Config) { c.NkeySeedFile = seed }},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(serve(t, c.opts))
			bare, err := stream.Connect(cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer bare.Close()
			if bare.Status() == nats.CONNECTED {
				t.Error("connected without credentials")
			}
			c.set(&cfg)
			connect(t, cfg)
		})
	}
}

func TestWrongSettingsAreNamed(t *testing.T) {
	for want, change := range map[string]func(*stream.Config){
		"url":              func(c *stream.Config) { c.URL = "" },
		"credentials":      func(c *stream.Config) { c.User, c.Token = "u", "t" },
		"no user":          func(c *stream.Config) { c.Password = "p" },
		"certificate":      func(c *stream.Config) { c.TLSCert = "go.mod" },
		"no such file":     func(c *stream.Config) { c.CredsFile = "/nowhere/x.creds" },
		"duplicate window": func(c *stream.Config) { c.Duplicates = 0 },
		"retention":        func(c *stream.Config) { c.MaxAge = time.Minute },
		"size":             func(c *stream.Config) { c.MaxBytes = -1 },
		"replicas":         func(c *stream.Config) { c.Replicas = 0 },
		"timeout":          func(c *stream.Config) { c.DialTimeout = 0 },
	} {
		cfg := stream.DefaultConfig()
		change(&cfg)
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, have %v", want, err)
		}
		if _, err := stream.Connect(cfg, nil); err == nil {
			t.Errorf("%s: connected", want)
		}
	}
	if diff := cmp.Diff(nil, stream.DefaultConfig().Validate()); diff != "" {
		t.Error(diff)
	}
}
