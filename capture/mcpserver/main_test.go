package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tooltrail/tooltrail/capture/mcpserver"
)

// serverVariable makes the test's own binary a server of the kind that it names.
const serverVariable = "MCPSERVER_TEST_KIND"

// TestMain is the tests, or one of the servers that they start.
func TestMain(m *testing.M) {
	kind := os.Getenv(serverVariable)
	if kind == "" {
		os.Exit(m.Run())
	}
	if run, ok := hostile[kind]; ok {
		run()
		return
	}
	s, pageSize := newServer(), 1_000
	switch kind {
	case "paged":
		pageSize = 2
	case "noisy":
		fmt.Println("Server listening, have fun!")
		fmt.Fprintln(os.Stderr, "starting")
	}
	if err := serve(s, pageSize).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serverTools are what the good servers offer, in the order in which the SDK lists them.
var serverTools = []string{"add", "echo", "find", "status", "weather"}

// newServer has the tools of a good server.
func newServer() []*mcp.Tool {
	var tools []*mcp.Tool
	for _, name := range serverTools {
		tools = append(tools, &mcp.Tool{
			Name: name, Description: "The tool <" + name + "> & more",
			InputSchema:  json.RawMessage(`{"type":"object","properties":{"` + name + `":{"type":"string"}},"required":["` + name + `"]}`),
			OutputSchema: json.RawMessage(`{"type":"object"}`),
			Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, Title: strings.ToUpper(name)},
		})
	}
	return tools
}

// serve makes a server of tools with the SDK.
func serve(tools []*mcp.Tool, pageSize int) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "shop", Version: "1.2.0"}, &mcp.ServerOptions{PageSize: pageSize})
	for _, t := range tools {
		s.AddTool(t, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	return s
}

// config is how to run this binary as a server.
func config(t *testing.T, kind string) mcpserver.Config {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cfg := mcpserver.DefaultConfig()
	cfg.Command = []string{self}
	cfg.Env = []string{serverVariable + "=" + kind}
	cfg.Grace = 500 * time.Millisecond
	return cfg
}

// names are the tools of a listing.
func names(l *mcpserver.Listing) []string {
	var out []string
	for _, t := range l.Tools {
		out = append(out, t.Name)
	}
	return out
}

func sameNames(t *testing.T, l *mcpserver.Listing, want ...string) {
	t.Helper()
	if got := names(l); !slices.Equal(got, want) {
		t.Errorf("tools %v, want %v", got, want)
	}
}

func write(t *testing.T, file string, content []byte) {
	t.Helper()
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
