package analyzer

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/prefix"
)

// Config says how often the analyzer looks, how far back, and by which limits. See [DefaultConfig].
type Config struct {
	// Interval is the time from the start of one run to the start of the next; a run that takes longer delays the next to the
	// following tick. At least one second.
	Interval time.Duration
	// Window is how far back a run looks, in event time. 0 looks at all that is stored.
	Window time.Duration
	// Timeout ends a detector that takes longer; 0 never does.
	Timeout time.Duration

	Drift      drift.Settings
	Breaker    drift.BreakerSettings
	Prefix     prefix.Settings
	Activation activation.Settings
	// Owners say who is to deal with findings.
	Owners finding.Owners
}

// DefaultConfig looks at the last day every minute.
func DefaultConfig() Config {
	return Config{
		Interval: time.Minute,
		Window:   24 * time.Hour,
		Timeout:  5 * time.Minute,

		Drift:      drift.DefaultSettings(),
		Breaker:    drift.DefaultBreakerSettings(),
		Prefix:     prefix.DefaultSettings(),
		Activation: activation.DefaultSettings(),
	}
}

// Validate reports every setting that can't be.
func (c Config) Validate() error {
	var errs []error
	if c.Interval < time.Second {
		errs = append(errs, fmt.Errorf("interval %s is under a second", c.Interval))
	}
	if c.Window < 0 {
		errs = append(errs, fmt.Errorf("window %s is negative", c.Window))
	}
	if c.Timeout < 0 {
		errs = append(errs, fmt.Errorf("timeout %s is negative", c.Timeout))
	}
	return errors.Join(append(errs, c.validateSections())...)
}

// validateSections reports every setting of the settings file that can't be, by its section and name there.
func (c Config) validateSections() error {
	return errors.Join(
		inSection("drift", c.Drift.Validate()), inSection("breaker", c.Breaker.Validate()),
		inSection("prefix", c.Prefix.Validate()), inSection("activation", c.Activation.Validate()),
		inSection("owners", c.Owners.Validate()),
	)
}

// inSection puts the name of a section before each of the errors that were joined.
func inSection(name string, err error) error {
	if err == nil {
		return nil
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var errs []error
		for _, err := range all.Unwrap() {
			errs = append(errs, inSection(name, err))
		}
		return errors.Join(errs...)
	}
	return fmt.Errorf("%s.%w", name, err)
}

// UsePrices puts the rows of a price table before the built-in ones; see [prefix.ReadPrices] for its form. An empty path
// changes nothing.
func (c *Config) UsePrices(path string) error {
	if path == "" {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open price table: %w", err)
	}
	defer func() { _ = f.Close() }()
	own, err := prefix.ReadPrices(f)
	if err != nil {
		return fmt.Errorf("read price table %s: %w", path, err)
	}
	c.Prefix.Prices = c.Prefix.Prices.With(own)
	return nil
}
