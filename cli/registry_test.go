package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tooltrail/tooltrail/embedded"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/store"
	"github.com/tooltrail/tooltrail/stream"
)

// TestRegistryScripts runs scripts each with a NATS server of its own, which has the streams and buckets; $TOOLTRAIL_NATS is its URL.
func TestRegistryScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "registry"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			url, err := serveBuckets(t, env)
			if library, err := embedded.FindLibrary(); err == nil {
				env.Setenv("TOOLTRAIL_ENGINE_LIB", library)
			}
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("USER", "ada")
			env.Setenv("NEWLINE", "\n")
			env.Setenv("RLO", "\u202e")
			env.Setenv("TOOLTRAIL_NATS", url)
			return err
		},
		Condition: func(string) (bool, error) {
			_, err := embedded.FindLibrary()
			return err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"put": putValue, "emit": emit, "keep": keepChanges, "await": awaitFile, "eventually": eventually,
		},
	})
}

// serveBuckets starts a NATS server for one script.
func serveBuckets(t *testing.T, env *testscript.Env) (string, error) {
	cfg := embedded.DefaultNATSConfig(filepath.Join(env.WorkDir, ".nats"))
	cfg.Listen = "127.0.0.1:0"
	server, err := embedded.StartNATS(cfg)
	if err != nil {
		return "", err
	}
	env.Defer(func() { _ = server.Shutdown(context.Background()) })
	return server.URL(), withJetStream(server.URL(), func(js jetstream.JetStream) error {
		return stream.Ensure(t.Context(), js, stream.DefaultConfig())
	})
}

func withJetStream(url string, fn func(js jetstream.JetStream) error) error {
	nc, err := nats.Connect(url)
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	return fn(js)
}

// putValue writes a file as a bucket's value, as the analyzer or a stranger would: put BUCKET KEY FILE.
func putValue(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(withJetStream(ts.Getenv("TOOLTRAIL_NATS"), func(js jetstream.JetStream) error {
		kv, err := js.KeyValue(context.Background(), args[0])
		if err != nil {
			return err
		}
		_, err = kv.Put(context.Background(), args[1], []byte(ts.ReadFile(args[2])))
		return err
	}))
}

// emit puts a file's text into the event stream: emit FILE.
func emit(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(withJetStream(ts.Getenv("TOOLTRAIL_NATS"), func(js jetstream.JetStream) error {
		ack, err := js.Publish(context.Background(), events.Subject(0, events.KindToolCall), []byte(ts.ReadFile(args[0])))
		if err == nil && ack.Stream != stream.Name {
			err = errors.New("another stream took it")
		}
		return err
	}))
}

// keepChanges stores changes of tools in ClickHouse, as the analyzer does: keep RUN.JSON FILE.
func keepChanges(ts *testscript.TestScript, _ bool, args []string) {
	cfg := store.DefaultConfig()
	cfg.Address = address(ts, args[0], "clickhouse")
	var changes []events.ToolChange
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &changes))
	db, err := store.Open(context.Background(), cfg)
	ts.Check(err)
	defer db.Close()
	ts.Check(db.SaveToolChanges(context.Background(), changes))
}
