// Command render writes the alerts' files: rules.yml for Prometheus, alertmanager.yml for Alertmanager and grafana/ for Grafana. With its flags
// links lead to a site's own Grafana and runbooks, and the numbers are a site's own.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tooltrail/tooltrail/alerts"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

// run reads the flags and writes all files.
func run(args []string) error {
	c := alerts.DefaultConfig()
	fs := flag.NewFlagSet("render", flag.ContinueOnError)
	out := fs.String("out", "alerts/rendered", "directory to write to")
	fs.StringVar(&c.Runbooks, "runbooks", c.Runbooks, "address under which the runbooks are")
	fs.StringVar(&c.Grafana, "grafana", c.Grafana, "address of Grafana")
	fs.StringVar(&c.ClickHouse, "datasource", c.ClickHouse, "uid of the ClickHouse data source in Grafana")
	for _, s := range []alerts.Severity{alerts.Page, alerts.Ticket, alerts.Info} {
		fs.Func("webhook-"+string(s), "address that Alertmanager delivers alerts of this severity to (default "+c.Webhook[s]+")", func(v string) error {
			c.Webhook[s] = v
			return nil
		})
	}
	fs.Uint64Var(&c.LostTokens, "lost-tokens", c.LostTokens, "tokens that an agent's cache may lose to one part of the prefix")
	fs.Float64Var(&c.DefinitionShare, "definition-share", c.DefinitionShare, "share of a server's tools that one release may change")
	fs.Float64Var(&c.GuessedShare, "guessed-share", c.GuessedShare, "share of calls that may be by a guessed name")
	fs.Float64Var(&c.EarlyShare, "early-share", c.EarlyShare, "share of calls that may come before the tool is loaded")
	fs.DurationVar(&c.Lag, "lag", c.Lag, "how far storing may be behind")
	fs.DurationVar(&c.Stale, "stale", c.Stale, "how long ago the analyzer's last good run may be")
	fs.Float64Var(&c.DiskFree, "disk-free", c.DiskFree, "share of the store's disk that should be free")
	if err := fs.Parse(args); err != nil {
		return err
	}
	files, err := alerts.Files(c)
	if err != nil {
		return err
	}
	for name, data := range files {
		path := filepath.Join(*out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil { //nolint:gosec // no secrets
			return fmt.Errorf("write file: %w", err)
		}
	}
	return nil
}
