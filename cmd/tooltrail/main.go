// Command tooltrail is the whole of Tooltrail on one machine; see the package cli for its commands.
package main

import (
	"fmt"
	"os"

	"github.com/tooltrail/tooltrail/cli"
	"github.com/tooltrail/tooltrail/cmd/internal/service"
)

// version is set by the linker.
var version = "dev"

func main() {
	streams := cli.OSStreams()
	getenv, err := service.WithSecretFiles(streams.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tooltrail:", err)
		os.Exit(1)
	}
	streams.Getenv = getenv
	os.Exit(cli.Run(service.Context(), os.Args[1:], streams, version))
}
