// Command tooltrail is the whole of Tooltrail on one machine; see the package cli for its commands.
package main

import (
	"os"

	"github.com/tooltrail/tooltrail/cli"
	"github.com/tooltrail/tooltrail/cmd/internal/service"
)

// version is set by the linker.
var version = "dev"

func main() {
	os.Exit(cli.Run(service.Context(), os.Args[1:], cli.OSStreams(), version))
}
