package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/embedded"
)

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is, and where the ClickHouse engine's library was found",
		Args:  argCount(0, 0),
		RunE: func(*cobra.Command, []string) error {
			if _, err := fmt.Fprint(p.Out, p.versionLine()); err != nil {
				return fmt.Errorf("print version: %w", err)
			}
			return p.printLibrary()
		},
	}
}

// versionLine says which version this is.
func (p *program) versionLine() string {
	return fmt.Sprintf("tooltrail %s (%s, %s/%s)\n", p.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (p *program) printLibrary() error {
	where, err := embedded.FindLibrary()
	if err != nil {
		where = "not found: " + err.Error()
	}
	if _, err := fmt.Fprintf(p.Out, "engine    %s\n", where); err != nil {
		return fmt.Errorf("print version: %w", err)
	}
	return nil
}
