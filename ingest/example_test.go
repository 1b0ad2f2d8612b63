package ingest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tooltrail/tooltrail/ingest"
)

// The intake needs a JetStream connection and nothing else.
func ExampleNewIntake() {
	dir, _ := os.MkdirTemp("", "example-")
	defer os.RemoveAll(dir)
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
	if err != nil {
		panic(err)
	}
	go srv.Start()
	defer srv.Shutdown()
	srv.ReadyForConnections(10 * time.Second)
	nc, err := nats.Connect(srv.ClientURL())
	if err != nil {
		panic(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		panic(err)
	}

	web := httptest.NewServer(ingest.NewIntake(js, ingest.DefaultIntakeConfig()))
	defer web.Close()
	answer, err := http.Post(web.URL+ingest.IntakePath, "application/x-ndjson", strings.NewReader("{}\n"))
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	fmt.Print(answer.StatusCode, " ", string(body))
	// Output: 422 {"accepted":0,"errors":[{"line":1,"path":"/type","reason":"missing"}]}
}
