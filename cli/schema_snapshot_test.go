package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tooltrail/tooltrail/stream"
)

// shopFile is what the servers of scripts offer.
type shopFile struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	// Instructions are those of a server by the SDK.
	Instructions string            `json:"instructions"`
	Tools        []json.RawMessage `json:"tools"`
}

func readShop(path string) shopFile {
	var f shopFile
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return f
}

// newShop makes a server of a file's tools with the official SDK.
func newShop(path string, pageSize int) *mcp.Server {
	f := readShop(path)
	s := mcp.NewServer(&mcp.Implementation{Name: f.Name, Version: f.Version}, &mcp.ServerOptions{PageSize: pageSize, Instructions: f.Instructions})
	for _, raw := range f.Tools {
		var t mcp.Tool
		if err := json.Unmarshal(raw, &t); err != nil {
			panic(err)
		}
		s.AddTool(&t, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	return s
}

// mcpShop is a server over standard input and output: mcpshop FILE [TOOLS-A-PAGE].
func mcpShop() {
	pageSize := mcp.DefaultPageSize
	if len(os.Args) > 2 {
		pageSize, _ = strconv.Atoi(os.Args[2])
	}
	if os.Getenv("GREETING") != "" {
		fmt.Fprintln(os.Stderr, "the greeting is "+os.Getenv("GREETING"))
		os.Exit(3)
	}
	if err := newShop(os.Args[1], pageSize).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// mcpRaw is one that sends a file's tools as they are there, whether they are tools or not: mcpraw FILE.
func mcpRaw() {
	f := readShop(os.Args[1])
	tools, _ := json.Marshal(f.Tools)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var r struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == nil {
			continue
		}
		result := fmt.Sprintf(`{"tools":%s}`, tools)
		if r.Method == "initialize" {
			result = fmt.Sprintf(`{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":%q,"version":%q}}`, f.Name, f.Version)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", r.ID, result)
	}
}

// TestSnapshotScripts runs scripts each with a NATS server and an MCP server over HTTP at $SHOP, which wants a token.
func TestSnapshotScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "snapshot"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			url, err := serveBuckets(t, env)
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("USER", "ada")
			env.Setenv("TOOLTRAIL_NATS", url)
			shop := httptest.NewServer(withToken(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
				return newShop(filepath.Join(env.WorkDir, "v1.json"), 1)
			}, nil)))
			env.Defer(shop.Close)
			env.Setenv("SHOP", shop.URL)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"published": published},
	})
}

func withToken(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Authorization") != "Bearer open sesame" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, req)
	})
}

// published writes the messages of a subject to a file: published SUBJECT FILE.
func published(ts *testscript.TestScript, _ bool, args []string) {
	var all []byte
	ts.Check(withJetStream(ts.Getenv("TOOLTRAIL_NATS"), func(js jetstream.JetStream) error {
		s, err := js.Stream(context.Background(), stream.Name)
		if err != nil {
			return err
		}
		info, err := s.Info(context.Background())
		if err != nil {
			return err
		}
		for seq := info.State.FirstSeq; seq <= info.State.LastSeq; seq++ {
			m, err := s.GetMsg(context.Background(), seq)
			if err != nil {
				return err
			}
			if m.Subject == args[0] {
				all = append(append(all, m.Data...), '\n')
			}
		}
		return nil
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), all, 0o600))
}
