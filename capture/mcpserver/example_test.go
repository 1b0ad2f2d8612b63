package mcpserver_test

import (
	"context"
	"fmt"
	"os"

	"github.com/tooltrail/tooltrail/capture/mcpserver"
)

func ExampleList() {
	cfg := mcpserver.DefaultConfig()
	cfg.Command = []string{os.Args[0]} // a server's program and its arguments
	cfg.Env = []string{serverVariable + "=plain"}
	l, err := mcpserver.List(context.Background(), cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(l.Server, l.Release)
	for _, t := range l.Tools {
		fmt.Println(t.Name)
	}
	// Output:
	// shop 1.2.0
	// add
	// echo
	// find
	// status
	// weather
}
