package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/docs"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/page"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store"
)

// pageData is the store as the page reads it.
type pageData struct{ db *store.DB }

func (d pageData) Rows(ctx context.Context, query string) (page.Answer, error) {
	r, err := d.db.Rows(ctx, query)
	return page.Answer{Columns: r.Columns, Rows: r.Values}, err
}

func (d pageData) Find(ctx context.Context, f page.Filter) ([]finding.Finding, error) {
	g := store.FindingFilter{
		State: f.State, MinSeverity: f.Severity, Detector: f.Detector, Rule: f.Rule, Owner: f.Owner, Agent: f.Agent, Environment: f.Environment, Team: f.Team,
		Tool: f.Tool, Server: f.Server, Prefix: f.Fingerprint, Limit: f.Limit,
	}
	return d.db.Findings(ctx, g)
}

func (d pageData) History(ctx context.Context, fingerprint string) ([]finding.Action, error) {
	all, err := d.db.FindingHistory(ctx, []string{fingerprint})
	return all[fingerprint], err
}

func (d pageData) Act(ctx context.Context, fingerprint string, a finding.Action) error {
	_, err := d.db.ActOnFindings(ctx, []string{fingerprint}, a)
	return err
}

// PageSources are what the page reads and writes of a store.
func PageSources(db *store.DB) page.Sources {
	d := pageData{db}
	return page.Sources{Database: d, Findings: d, Actor: d}
}

// pageAddress is where the page is served where nobody says.
const pageAddress = "127.0.0.1:8091"

// pageConfig says how the page is served.
func (p *program) pageConfig(listen string, log *slog.Logger) (page.Config, error) {
	cfg := page.DefaultConfig()
	cfg.Listen, cfg.Token, cfg.TLS = listen, p.Getenv("TOOLTRAIL_PAGE_TOKEN"), p.Getenv("TOOLTRAIL_PAGE_TLS_CERT") != ""
	cfg.Hosts, cfg.By, cfg.Version, cfg.Runbooks, cfg.Log = words(p.Getenv("TOOLTRAIL_PAGE_HOSTS")), p.userName(), p.version, docs.Runbooks(), log
	for _, w := range words(p.Getenv("TOOLTRAIL_PAGE_PROXIES")) {
		prefix, err := netip.ParsePrefix(w)
		if addr, bad := netip.ParseAddr(w); bad == nil {
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return cfg, usageError{fmt.Errorf("TOOLTRAIL_PAGE_PROXIES: %q is no address and no network", w)}
		}
		cfg.TrustedProxies = append(cfg.TrustedProxies, prefix)
	}
	if !cfg.TLS && p.Getenv("TOOLTRAIL_PAGE_TLS_KEY") != "" {
		return cfg, usageError{errors.New("TOOLTRAIL_PAGE_TLS_KEY without TOOLTRAIL_PAGE_TLS_CERT: give both for TLS")}
	}
	if err := cfg.Validate(); err != nil {
		return cfg, usageError{err}
	}
	return cfg, nil
}

// checkPage refuses an address of the page before anything is started.
func (p *program) checkPage(listen string) error {
	if listen == "" {
		return nil
	}
	if err := checkListen("page", listen); err != nil {
		return err
	}
	_, err := p.pageConfig(listen, slog.New(slog.DiscardHandler))
	return err
}

// words splits a list at its commas.
func words(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// servePage serves the page and returns its address; empty where there is none.
func (p *program) servePage(stops *stack, db *store.DB, listen string, log *slog.Logger, failed func(error)) (string, error) {
	if listen == "" {
		return "", nil
	}
	cfg, err := p.pageConfig(listen, log.With(slog.String("part", "page")))
	if err != nil {
		return "", err
	}
	server, err := page.New(cfg, PageSources(db))
	if err != nil {
		return "", err
	}
	l, err := p.listenPage(listen)
	if err != nil {
		return "", err
	}
	srv := &http.Server{
		Handler: server.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: cfg.Timeout + 30*time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10, ErrorLog: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	stops.spawn(func(ctx context.Context) error {
		context.AfterFunc(ctx, func() { _ = shutdown(srv) })
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve page: %w", err)
		}
		return nil
	}, failed)
	return pageURL(cfg, l.Addr()), nil
}

// listenPage opens the page's port: another one where nobody asked for that one and it is in use.
func (p *program) listenPage(listen string) (net.Listener, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil && errors.Is(err, syscall.EADDRINUSE) && listen == pageAddress {
		l, err = net.Listen("tcp", anyPort)
	}
	if err != nil {
		return nil, sayTaken("page", fmt.Errorf("listen for the page: %w", err))
	}
	cert := p.Getenv("TOOLTRAIL_PAGE_TLS_CERT")
	if cert == "" {
		return l, nil
	}
	pair, err := tls.LoadX509KeyPair(cert, p.Getenv("TOOLTRAIL_PAGE_TLS_KEY"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read TOOLTRAIL_PAGE_TLS_CERT and TOOLTRAIL_PAGE_TLS_KEY: %w", err), l.Close())
	}
	return tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}), nil
}

// pageURL is what a person opens.
func pageURL(cfg page.Config, at net.Addr) string {
	u := url.URL{Scheme: "http", Host: at.String(), Path: "/"}
	_, port, err := net.SplitHostPort(u.Host)
	if cfg.TLS {
		u.Scheme = "https"
	}
	if len(cfg.Hosts) > 0 && err == nil {
		u.Host = net.JoinHostPort(cfg.Hosts[0], port)
	}
	return u.String()
}

// writePage writes the page of a report into one file.
func (p *program) writePage(ctx context.Context, db *store.DB, r *analyzer.Report, path string, log *slog.Logger) error {
	cfg := page.DefaultFileConfig()
	cfg.Version, cfg.Runbooks, cfg.Log = p.version, docs.Runbooks(), log
	cfg.Scope = panels.Scope{
		From: r.FirstEvent, To: r.LastEvent.Add(time.Second), Agent: p.set.Scope.Agent, Environment: p.set.Scope.Environment, Team: p.set.Scope.Team,
	}
	if r.FirstEvent.IsZero() {
		cfg.Scope.From, cfg.Scope.To = time.Unix(0, 0).UTC(), time.Now().UTC()
	}
	cfg.About = "Made of files by tooltrail analyze."
	if scope := p.set.Scope.String(); scope != "" {
		cfg.About = "Made of files by tooltrail analyze, narrowed to " + scope + "."
	}
	var b bytes.Buffer
	if err := page.WriteFile(ctx, &b, cfg, page.Sources{Database: pageData{db}, Findings: pageData{db}}); err != nil {
		return err
	}
	if err := writeWhole(path, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// fileURL is a file as a browser opens it.
func fileURL(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(full)}).String()
}
