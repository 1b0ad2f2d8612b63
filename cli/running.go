package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/ingest"
)

// running returns the addresses of the tooltrail to talk to: those of flags and environment, else those of the one that holds the
// data directory.
func (p *program) running() (state, error) {
	s := state{NATS: reachable(p.set.NATS, "nats"), ClickHouse: reachable(p.set.ClickHouse, "http")}
	if isURL(p.set.NATS) && isURL(p.set.ClickHouse) {
		return s, nil
	}
	dir, err := p.dataDirectory()
	if err != nil {
		return s, err
	}
	found, err := runningState(dir)
	if isURL(s.NATS) && isURL(s.ClickHouse) && err != nil {
		return s, nil
	}
	if isURL(s.NATS) && s.NATS != found.NATS {
		found.NATS, found.HTTP = s.NATS, ""
	}
	if isURL(s.ClickHouse) && s.ClickHouse != found.ClickHouse {
		found.ClickHouse = s.ClickHouse
	}
	return found, err
}

// reachable makes of an address that tooltrail up listens on, as its flags and variables have it, the URL that it is reached by. A port that is
// chosen freely is not known.
func reachable(addr, scheme string) string {
	if _, port, err := net.SplitHostPort(addr); isURL(addr) || err != nil || port == "0" {
		return addr
	}
	return scheme + "://" + addr
}

// runningNATS is [program.running] for a command that needs NATS alone.
func (p *program) runningNATS() (state, error) {
	if isURL(p.set.NATS) {
		return state{NATS: p.set.NATS}, nil
	}
	s, err := p.running()
	if at := reachable(p.set.NATS, "nats"); err != nil && isURL(at) {
		return state{NATS: at}, nil
	}
	return s, err
}

// runningAnalyzer returns how to analyze: by --settings and --prices, else by the files of the running tooltrail, and says which files these are.
func (p *program) runningAnalyzer() (analyzer.Config, error) {
	s, err := p.runningStore()
	if err != nil { // who needs the running one says that there is none
		return p.set.analyzer()
	}
	cfg := analyzer.DefaultConfig()
	if err := p.useFile(p.set.Prices, s.Prices, "prices", cfg.UsePrices); err != nil {
		return cfg, err
	}
	return cfg, p.useFile(p.set.Settings, s.Settings, "settings", cfg.UseSettings)
}

// useFile uses the file that was named, else that of the running tooltrail.
func (p *program) useFile(named, running, what string, use func(path string) error) error {
	if named != "" || running == "" {
		if err := use(named); err != nil {
			return usageError{err}
		}
		return nil
	}
	_, _ = fmt.Fprintf(p.Err, "tooltrail: %s of the running tooltrail: %s\n", what, report.Safe(running))
	if err := use(running); err != nil { // the running one keeps the last good ones
		return fmt.Errorf("%w\nread the %s of the running tooltrail; --%s names another file", err, what, what)
	}
	return nil
}

// absolute makes a path one that other directories know; an empty one stays empty.
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find file: %w", err)
	}
	return path, nil
}

// runningStore is [program.running] for a command that needs ClickHouse alone.
func (p *program) runningStore() (state, error) {
	if isURL(p.set.ClickHouse) {
		return state{ClickHouse: p.set.ClickHouse}, nil
	}
	s, err := p.running()
	if at := reachable(p.set.ClickHouse, "http"); err != nil && isURL(at) {
		return state{ClickHouse: at}, nil
	}
	return s, err
}

// remoteLanes asks a running ingester how far its lanes are.
func remoteLanes(base string) laneSource {
	return func(ctx context.Context) ([]ingest.Lane, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/readyz", nil)
		if err != nil {
			return nil, fmt.Errorf("ask the ingester: %w", err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, fmt.Errorf("ask the ingester: %w", err)
		}
		defer func() { _ = resp.Body.Close() }()
		var r ingest.Readiness
		if err := json.NewDecoder(resp.Body).Decode(&r); err != nil {
			return nil, fmt.Errorf("ask the ingester: %w", err)
		}
		return r.Lanes, nil
	}
}
