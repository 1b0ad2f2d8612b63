package embedded_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tooltrail/tooltrail/embedded"
)

func ExampleStartNATS() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	cfg := embedded.DefaultNATSConfig(filepath.Join(dir, "nats"))
	cfg.Listen = "127.0.0.1:0" // any free port
	server, err := embedded.StartNATS(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	nc, err := nats.Connect(server.URL())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(nc.Status())
	nc.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	fmt.Println(server.Shutdown(ctx))
	// Output:
	// CONNECTED
	// <nil>
}

func ExampleOpenEngine() {
	cfg := embedded.DefaultEngineConfig("data/engine")
	engine, err := embedded.OpenEngine(cfg)
	if err != nil {
		fmt.Println(err) // says what is missing and how to get it
		return
	}
	defer engine.Close(context.Background())
	resp, err := http.Post("http://"+engine.Addr()+"/", "text/plain", strings.NewReader("SELECT 40 + 2"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	fmt.Printf("%s %v\n", answer, err)
}
