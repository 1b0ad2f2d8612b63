package analyzer

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/metrics"
	"github.com/tooltrail/tooltrail/prefix"
)

const (
	// maxSettingsBytes is how large a settings file can be: some thousands of tools.
	maxSettingsBytes = 256 << 10
	// maxSettingsBrackets is how many [ and { it can have: the parser takes the square of the time for those in each other.
	maxSettingsBrackets = 10_000
)

// settingsSections are the sections of a settings file. docs/settings.md has all of its fields.
type settingsSections struct {
	Drift      *drift.Settings        `yaml:"drift"`
	Breaker    *drift.BreakerSettings `yaml:"breaker"`
	Prefix     *prefix.Settings       `yaml:"prefix"`
	Activation *activation.Settings   `yaml:"activation"`
	Owners     *finding.Owners        `yaml:"owners"`
}

// UseSettings takes the settings that a YAML file has; what it does not say stays. An empty path changes nothing. The error names the
// file, and each field that is wrong with its line.
func (c *Config) UseSettings(path string) error {
	if path == "" {
		return nil
	}
	data, err := readSettingsFile(path)
	if err != nil {
		return err
	}
	return c.readSettings(path, data)
}

func readSettingsFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open settings file: %w", err)
	}
	if !info.Mode().IsRegular() { // opening a pipe could wait for ever
		return nil, fmt.Errorf("open settings file %s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open settings file: %w", err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSettingsBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read settings file: %w", err)
	}
	if len(data) > maxSettingsBytes {
		return nil, fmt.Errorf("read settings file %s: over %d bytes", path, maxSettingsBytes)
	}
	if bytes.Count(data, []byte("["))+bytes.Count(data, []byte("{")) > maxSettingsBrackets {
		return nil, fmt.Errorf("read settings file %s: over %d brackets", path, maxSettingsBrackets)
	}
	return data, nil
}

// readSettings takes what a file's bytes say; after an error nothing is changed.
func (c *Config) readSettings(path string, data []byte) error {
	next := *c
	r, err := readYAML(data, &settingsSections{&next.Drift, &next.Breaker, &next.Prefix, &next.Activation, &next.Owners})
	if err := errors.Join(err, r.locate(next.validateSections())); err != nil {
		return inFile(path, err)
	}
	*c = next
	return nil
}

// locate gives the errors of a validation, which begin with the path of a field, their lines. Those of fields that could not be read are
// left out.
func (r *yamlReader) locate(err error) error {
	if err == nil {
		return nil
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, err := range all.Unwrap() {
			errs = append(errs, r.locate(err))
		}
		return errors.Join(errs...)
	}
	path := r.field(err.Error())
	if r.failed[path] {
		return nil
	}
	return &settingsError{line: r.lines[path], text: err.Error()}
}

// field returns the path that a text begins with, or that of what the field is in; empty when the file has neither.
func (r *yamlReader) field(text string) string {
	for end := len(text); end > 0; end = strings.LastIndexAny(text[:end], " .[:") {
		if r.lines[text[:end]] > 0 {
			return text[:end]
		}
	}
	return ""
}

// inFile puts the name of a file before each of the errors that were joined.
func inFile(path string, err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, err := range all.Unwrap() {
			errs = append(errs, inFile(path, err))
		}
		return errors.Join(errs...)
	}
	var e *settingsError
	if errors.As(err, &e) && e.line > 0 {
		return fmt.Errorf("%s:%w", path, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// SettingsFile is the settings of a process that runs for long: read anew whenever their file has changed. Make one with [OpenSettings].
type SettingsFile struct {
	path     string
	base     Config
	override func(*Config) error
	metrics  *metrics.Analyzer
	log      *slog.Logger

	mu   sync.Mutex
	seen [sha256.Size]byte
	now  Config
	// changed is when the settings were last read anew.
	changed time.Time
}

// changedAt is when settings were last taken over that were not there at the start; zero where there were none.
func (f *SettingsFile) changedAt() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.changed
}

// OpenSettings reads a settings file for the first time, over what base says. What override sets, unless it is nil, wins over the file. With an
// empty path there is no file, and the settings stay as they are.
func OpenSettings(path string, base Config, override func(*Config) error, m *metrics.Analyzer, log *slog.Logger) (*SettingsFile, error) {
	f := &SettingsFile{path: path, base: base, override: override, metrics: m, log: log, now: base}
	if path == "" {
		return f, nil
	}
	data, err := readSettingsFile(path)
	if err != nil {
		return nil, err
	}
	if err := f.take(data); err != nil {
		return nil, err
	}
	f.seen = sha256.Sum256(data)
	return f, nil
}

// Current returns the settings in force. It looks whether the file has other bytes than before, and takes them over when they make
// sense; else the last good ones stay, which is logged and counted once for those bytes. It is for any number of goroutines.
func (f *SettingsFile) Current() Config {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.path == "" {
		return f.now
	}
	data, err := readSettingsFile(f.path)
	seen := sha256.Sum256(data)
	if err != nil {
		seen = sha256.Sum256([]byte(err.Error()))
	}
	if seen == f.seen {
		return f.now
	}
	f.seen = seen
	if err == nil {
		err = f.take(data)
	}
	f.metrics.SettingsRefused.Set(metrics.One(err != nil))
	if err != nil {
		f.metrics.SettingsErrors.Inc()
		f.log.Error("keep the settings as they were: the file can't be used", slog.Any("error", err))
		return f.now
	}
	f.changed = time.Now()
	f.log.Info("settings changed", slog.String("file", f.path))
	return f.now
}

// take puts what a file's bytes say into force.
func (f *SettingsFile) take(data []byte) error {
	next := f.base
	if err := next.readSettings(f.path, data); err != nil {
		return err
	}
	if f.override != nil {
		if err := f.override(&next); err != nil {
			return fmt.Errorf("set what flags say: %w", err)
		}
		if err := next.Validate(); err != nil {
			return fmt.Errorf("%s, together with the flags: %w", f.path, err)
		}
	}
	f.now = next
	f.metrics.SettingsLoaded.Set(float64(time.Now().Unix()))
	return nil
}
