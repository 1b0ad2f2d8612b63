package cli_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tooltrail/tooltrail/cli"
	"github.com/tooltrail/tooltrail/embedded"
)

// TestMain lets scripts run tooltrail as a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tooltrail": func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop)
		os.Exit(cli.Run(ctx, os.Args[1:], cli.OSStreams(), "v0.0.0-test"))
	}})
}

func TestScripts(t *testing.T) {
	library, err := embedded.FindLibrary()
	if err != nil && os.Getenv("TOOLTRAIL_REQUIRE_ENGINE") == "1" {
		t.Fatalf("the engine is required: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("TOOLTRAIL_ENGINE_LIB", library)
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "engine" {
				return library != "", nil
			}
			return false, errors.New("unknown condition")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"await": awaitFile,
			"post":  post,
		},
	})
}

// awaitFile waits for a file to appear: await FILE.
func awaitFile(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			return
		}
	}
	ts.Fatalf("%s did not appear", name)
}

// post sends a file to the HTTP intake that a state file names: post RUN.JSON FILE STATUS.
func post(ts *testscript.TestScript, _ bool, args []string) {
	state := ts.ReadFile(args[0])
	_, rest, _ := strings.Cut(state, `"http": "`)
	addr, _, _ := strings.Cut(rest, `"`)
	resp, err := http.Post(addr+"/v1/events", "application/x-ndjson", strings.NewReader(ts.ReadFile(args[1])))
	ts.Check(err)
	defer resp.Body.Close()
	if resp.Status[:3] != args[2] {
		ts.Fatalf("have status %s, want %s", resp.Status, args[2])
	}
}
