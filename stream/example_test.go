package stream_test

import (
	"fmt"

	"github.com/tooltrail/tooltrail/stream"
)

func ExampleConfig() {
	cfg := stream.DefaultConfig()
	cfg.URL = "tls://nats.internal:4222"
	cfg.User, cfg.Token = "tooltrail", "and a token"
	fmt.Println(cfg.Validate())
	// Output: nats credentials: want one of user, token, nkey seed file and credentials file
}
