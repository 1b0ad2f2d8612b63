package mcpserver

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// Config says which server to read and what that may cost. Start from [DefaultConfig] and set Command or URL.
type Config struct {
	// Command is a program and its arguments, spoken to over its standard input and output. No shell is involved.
	Command []string
	// Env is the whole environment of the program, as NAME=VALUE; see [Environment].
	Env []string
	// Dir is the program's working directory; empty is this process's own.
	Dir string

	// URL is an HTTP endpoint. A server that does not answer there by streamable HTTP is tried by the older HTTP with server-sent events.
	URL string
	// Header is sent with each request to the URL's own host, and to no other.
	Header http.Header

	// Timeout bounds all of it: starting, answering, listing.
	Timeout time.Duration
	// Grace is how long a program may take to end after its input is closed, and again after SIGTERM, before it is killed.
	Grace time.Duration
	// MaxPages is how many pages a list may have.
	MaxPages int
	// MaxTools is how many tools it may have.
	MaxTools int
	// MaxAnswer is the longest answer, in bytes.
	MaxAnswer int64
	// MaxBytes is how long all pages together may be.
	MaxBytes int64

	// Digester makes the digests; it needs the key that the agents' events use.
	Digester events.Digester
	// Limits bound each schema.
	Limits drift.Limits
	// ClientVersion is what the server is told of our version.
	ClientVersion string
	// Log hears of what does not matter for the result; nil discards it.
	Log *slog.Logger
}

// DefaultConfig returns limits that real servers are far below: the longest list of 43 releases of a public server
// that were looked at has 101 tools in 97 KB, on one page.
func DefaultConfig() Config {
	return Config{
		Timeout:       time.Minute, // npx may have to download the server first
		Grace:         2 * time.Second,
		MaxPages:      1_000,
		MaxTools:      10_000, // as many as a comparison takes
		MaxAnswer:     16 << 20,
		MaxBytes:      64 << 20,
		ClientVersion: "dev",
	}
}

// Validate reports everything that is wrong with the settings.
func (c Config) Validate() error {
	var errs []error
	switch {
	case len(c.Command) == 0 && c.URL == "":
		errs = append(errs, errors.New("mcp server: want a command or a URL"))
	case len(c.Command) > 0 && c.URL != "":
		errs = append(errs, errors.New("mcp server: a command and a URL: want one of them"))
	case len(c.Command) > 0 && c.Command[0] == "":
		errs = append(errs, errors.New("mcp server: the command has no name"))
	case c.URL != "":
		errs = append(errs, checkURL(c.URL))
	}
	for name, n := range map[string]int64{
		"timeout": int64(c.Timeout), "grace": int64(c.Grace), "pages": int64(c.MaxPages), "tools": int64(c.MaxTools),
		"bytes of an answer": c.MaxAnswer, "bytes": c.MaxBytes,
	} {
		if n <= 0 {
			errs = append(errs, fmt.Errorf("mcp server: the limit of %s must be positive", name))
		}
	}
	return errors.Join(errs...)
}

func checkURL(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("mcp server: want a URL such as https://host/mcp") // not quoted: it may hold a password
	}
	return nil
}

func (c Config) logger() *slog.Logger {
	if c.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return c.Log
}
