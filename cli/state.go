package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Files of a data directory.
const (
	lockName  = "lock"
	stateName = "run.json"
)

// state is what a running `tooltrail up` writes into its data directory, so that other commands find it.
type state struct {
	PID        int       `json:"pid"`
	Version    string    `json:"version"`
	Started    time.Time `json:"started"`
	NATS       string    `json:"nats"`
	HTTP       string    `json:"http"`
	ClickHouse string    `json:"clickhouse"`
	// Page is where a browser finds the page; empty where there is none.
	Page string `json:"page,omitempty"`
	// WindowSeconds is how far back the analyzer looks, in event time; 0 is everything.
	WindowSeconds float64 `json:"window_seconds"`
	// Settings is the absolute path of its settings file; empty where it has none.
	Settings string `json:"settings,omitempty"`
	// Prices is the absolute path of its file of prices; empty where it has none.
	Prices string `json:"prices,omitempty"`
}

// errNotRunning says that no `tooltrail up` holds the data directory.
var errNotRunning = errors.New("no tooltrail is running")

// defaultData is $XDG_DATA_HOME/tooltrail, or ~/.local/share/tooltrail; empty where neither is known.
func defaultData(getenv func(string) string) string {
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "tooltrail")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "share", "tooltrail")
	}
	return ""
}

// errNoHome says that there is no place for data that nobody named.
var errNoHome = errors.New("HOME is not set: name --data")

// dataDirectory returns the data directory, which somebody must have named.
func (p *program) dataDirectory() (string, error) {
	if p.set.Data == "" {
		return "", usageError{errNoHome}
	}
	return p.set.Data, nil
}

// lock is a data directory held by this process. The kernel lets go of it when the process ends in any way.
type lock struct {
	dir  string
	file *os.File
}

// lockData takes the data directory, making it where it does not exist.
func lockData(dir string) (*lock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock data directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock data directory %s: another tooltrail uses it%s", dir, holder(dir))
	}
	return &lock{dir: dir, file: f}, nil
}

// holder names the process in the state file, where there is one.
func holder(dir string) string {
	s, err := readState(dir)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(" (process %d, %s): tooltrail report talks to it", s.PID, s.HTTP)
}

// write records the addresses, whole or not at all.
func (l *lock) write(s state) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("encode state: %w", err)
	}
	temp := filepath.Join(l.dir, stateName+".new")
	if err := os.WriteFile(temp, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	if err := os.Rename(temp, filepath.Join(l.dir, stateName)); err != nil {
		return fmt.Errorf("write state: %w", err)
	}
	return nil
}

// release takes the state away and lets go of the directory.
func (l *lock) release() error {
	err := os.Remove(filepath.Join(l.dir, stateName))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.file.Close())
}

// runningState returns the addresses of the tooltrail that holds dir, and [errNotRunning] when none does.
func runningState(dir string) (state, error) {
	f, err := os.Open(filepath.Join(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, notRunning(dir)
	}
	if err != nil {
		return state{}, fmt.Errorf("look for a running tooltrail: %w", err)
	}
	defer func() { _ = f.Close() }()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil {
		return state{}, notRunning(dir)
	}
	s, err := readState(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, fmt.Errorf("%w yet on %s: it is starting", errNotRunning, dir)
	}
	return s, err
}

func notRunning(dir string) error {
	return fmt.Errorf("%w on %s: start one with `tooltrail up`, or name its addresses with --nats and --clickhouse", errNotRunning, dir)
}

func readState(dir string) (state, error) {
	var s state
	data, err := os.ReadFile(filepath.Join(dir, stateName))
	if err != nil {
		return s, fmt.Errorf("read state: %w", err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("read state of %s: %w", dir, err)
	}
	return s, nil
}
