package page

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// MinToken is how many bytes a token has at least: 16 random bytes in hex are 32.
const MinToken = 24

// Config says how the page is served.
type Config struct {
	// Listen is the HOST:PORT that the server of the handler listens on. The page opens no port itself: it must know who can reach it.
	Listen string
	// Hosts are the names that browsers may call it by, without port; on loopback localhost, 127.0.0.1 and ::1 are always among them.
	// A page that somebody's name server leads to this machine is none of them, and is refused.
	Hosts []string
	// Token is what somebody must know to see the page, at least 24 bytes; empty for no question, on loopback alone.
	Token string
	// TLS says that the server speaks it.
	TLS bool
	// TrustedProxies are the addresses that a proxy with TLS asks from. Where they are set nobody else is answered, and a proxy must say
	// X-Forwarded-Proto: https.
	TrustedProxies []netip.Prefix
	// By is who acts on findings where the form does not say.
	By string
	// Version is what the footer shows.
	Version string
	// Runbooks has a file NAME.md for each runbook; nil for none.
	Runbooks fs.FS
	// Timeout is how long the queries of one page may take together, Parallel how many of them run at once.
	Timeout  time.Duration
	Parallel int
	// Pages is how many pages that ask the database are made at once. Others wait for their turn as long as Timeout, and are then told to come again.
	Pages int
	// Now is the clock.
	Now func() time.Time
	Log *slog.Logger
}

// DefaultConfig serves on loopback alone.
func DefaultConfig() Config {
	return Config{
		Listen: "127.0.0.1:8091", By: "page", Timeout: 30 * time.Second, Parallel: 4, Pages: 4, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
}

// Validate reports all that is wrong.
func (c Config) Validate() error {
	var errs []error
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		errs = append(errs, fmt.Errorf("listen %q: want HOST:PORT", c.Listen))
	} else if !isLoopback(c.Listen) {
		errs = append(errs, c.validateOpen())
	}
	if len(c.TrustedProxies) > 0 && isLoopback(c.Listen) {
		errs = append(errs, c.validateOpen()) // the proxy shows it to others
	}
	for _, p := range c.TrustedProxies {
		if p.Bits() == 0 {
			errs = append(errs, fmt.Errorf("trusted proxy %s: that is everybody", p))
		}
	}
	if c.Token != "" && strings.TrimSpace(c.Token) == "" {
		errs = append(errs, errors.New("token: nothing but spaces"))
	}
	if c.Token != "" && len(c.Token) < MinToken {
		errs = append(errs, fmt.Errorf("token: %d bytes, want %d or more", len(c.Token), MinToken))
	}
	if slices.ContainsFunc(c.Hosts, func(h string) bool { return h == "" || strings.ContainsAny(h, "/: *") }) {
		errs = append(errs, fmt.Errorf("hosts %q: want names without scheme and port", c.Hosts))
	}
	if c.Timeout <= 0 || c.Parallel < 1 || c.Pages < 1 {
		errs = append(errs, errors.New("timeout, parallel and pages must be over zero"))
	}
	if c.Now == nil || c.Log == nil {
		errs = append(errs, errors.New("clock and log are needed"))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// validateOpen is what a page needs that other machines reach.
func (c Config) validateOpen() error {
	var errs []error
	if c.Token == "" {
		errs = append(errs, fmt.Errorf("%s, which other machines reach, needs a token", c.reached()))
	}
	if !c.TLS && len(c.TrustedProxies) == 0 {
		errs = append(errs, fmt.Errorf("listening on %s, which other machines reach, needs TLS or a trusted proxy", c.Listen))
	}
	if len(c.Hosts) == 0 {
		errs = append(errs, fmt.Errorf("%s, which other machines reach, needs the names that browsers call it by", c.reached()))
	}
	return errors.Join(errs...)
}

// reached says how other machines reach the page.
func (c Config) reached() string {
	if isLoopback(c.Listen) {
		return "a page behind a proxy"
	}
	return "listening on " + c.Listen
}

// encrypted says that what a browser sends is encrypted on its way.
func (c Config) encrypted() bool { return c.TLS || len(c.TrustedProxies) > 0 }

// hosts are the names that a request may be for, in lower case.
func (c Config) hosts() []string {
	var all []string
	for _, h := range c.Hosts {
		all = append(all, strings.ToLower(h))
	}
	if isLoopback(c.Listen) {
		all = append(all, "localhost", "127.0.0.1", "::1")
	}
	return all
}

// isLoopback reports whether only this machine reaches an address to listen on.
func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
