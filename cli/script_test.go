package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tooltrail/tooltrail/cli"
	"github.com/tooltrail/tooltrail/embedded"
)

var update = flag.Bool("update", false, "rewrite the files that scripts compare with")

// TestMain lets scripts run tooltrail as a process of its own, and MCP servers.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mcpshop": mcpShop, "mcpraw": mcpRaw, "tooltrail": func() {
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
		UpdateScripts:       *update,
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
			"await": awaitFile, "eventually": eventually, "mkfifo": mkfifo,
			"status": status, "post": post, "get": get, "publish": publish, "letter": letter,
		},
	})
}

// patience is how long a script waits for something that must come.
const patience = 2 * time.Minute

// poll calls ok until it is true.
func poll(ts *testscript.TestScript, what string, ok func() bool) {
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			ts.Fatalf("waited %s for %s", patience, what)
		}
	}
}

// awaitFile waits for a file to appear: await GLOB.
func awaitFile(ts *testscript.TestScript, _ bool, args []string) {
	poll(ts, args[0], func() bool {
		found, err := filepath.Glob(ts.MkAbs(args[0]))
		ts.Check(err)
		return len(found) > 0
	})
}

// eventually runs a command until its standard output matches: eventually REGEXP COMMAND ARG...
func eventually(ts *testscript.TestScript, _ bool, args []string) {
	want := regexp.MustCompile(args[0])
	poll(ts, args[0], func() bool { return ts.Exec(args[1], args[2:]...) == nil && want.MatchString(ts.ReadFile("stdout")) })
}

// status runs a command that must end with an exit status: status 3 COMMAND ARG...
func status(ts *testscript.TestScript, _ bool, args []string) {
	have := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		have = ended.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(have) != args[0] {
		ts.Fatalf("have status %d, want %s", have, args[0])
	}
}

func mkfifo(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

// address reads one address from a state file.
func address(ts *testscript.TestScript, stateFile, name string) string {
	var state map[string]any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(stateFile)), &state))
	return fmt.Sprint(state[name])
}

// post sends a file to the HTTP intake: post RUN.JSON FILE STATUS.
func post(ts *testscript.TestScript, _ bool, args []string) {
	resp, err := http.Post(address(ts, args[0], "http")+"/v1/events", "application/x-ndjson", strings.NewReader(ts.ReadFile(args[1])))
	ts.Check(err)
	ts.Check(resp.Body.Close())
	if resp.Status[:3] != args[2] {
		ts.Fatalf("have status %s, want %s", resp.Status, args[2])
	}
}

// get fetches a page until it matches: get RUN.JSON PATH REGEXP.
func get(ts *testscript.TestScript, _ bool, args []string) {
	url, want := address(ts, args[0], "http")+args[1], regexp.MustCompile(args[2])
	poll(ts, args[2]+" at "+args[1], func() bool {
		resp, err := http.Get(url)
		ts.Check(err)
		defer resp.Body.Close()
		page, err := io.ReadAll(resp.Body)
		ts.Check(err)
		return resp.StatusCode == http.StatusOK && want.Match(page)
	})
}

// publish puts a file's text on a subject of NATS: publish RUN.JSON SUBJECT FILE.
func publish(ts *testscript.TestScript, _ bool, args []string) {
	nc, err := nats.Connect(address(ts, args[0], "nats"))
	ts.Check(err)
	defer nc.Close()
	js, err := jetstream.New(nc)
	ts.Check(err)
	_, err = js.Publish(context.Background(), args[1], []byte(ts.ReadFile(args[2])))
	ts.Check(err)
}

// letter takes the id of the first dead letter in JSON and sets LETTER, and SHORT to its start: letter FILE.
func letter(ts *testscript.TestScript, _ bool, args []string) {
	var all []struct{ ID string }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &all))
	if len(all) == 0 {
		ts.Fatalf("no dead letters")
	}
	ts.Setenv("LETTER", all[0].ID)
	ts.Setenv("SHORT", all[0].ID[:8])
}
