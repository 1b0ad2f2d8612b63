package ingest

import (
	"testing"
	"time"
)

func TestDefaultSettingsAreValid(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	if err := DefaultIntakeConfig().Validate(); err != nil {
		t.Error(err)
	}
}

func TestSettingsThatCannotWorkAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no stream":          func(c *Config) { c.Stream = "" },
		"no partitions":      func(c *Config) { c.Partitions = nil },
		"negative partition": func(c *Config) { c.Partitions = []int{-1} },
		"a partition twice":  func(c *Config) { c.Partitions = []int{0, 1, 0} },
		"no rows":            func(c *Config) { c.MaxRows = 0 },
		"little memory":      func(c *Config) { c.Memory = 1 << 20 },
		"no inserts":         func(c *Config) { c.MaxInserts = 0 },
		"waits in disorder":  func(c *Config) { c.RetryMax = c.RetryMin - 1 },
		"fast heartbeat":     func(c *Config) { c.Heartbeat = time.Millisecond },
		"short lease":        func(c *Config) { c.LeaseTTL = time.Millisecond },
		"no refusals":        func(c *Config) { c.MaxRefused = 0 },
		"no letters":         func(c *Config) { c.MaxLetters = 0 },
	} {
		c := DefaultConfig()
		change(&c)
		if c.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, change := range map[string]func(*IntakeConfig){
		"no partitions": func(c *IntakeConfig) { c.Partitions = 0 },
		"huge lines":    func(c *IntakeConfig) { c.MaxLineBytes = 1 << 30 },
		"no bodies":     func(c *IntakeConfig) { c.MaxBodies = 0 },
		"no time":       func(c *IntakeConfig) { c.ReadTimeout = 0 },
	} {
		c := DefaultIntakeConfig()
		change(&c)
		if c.Validate() == nil {
			t.Errorf("intake, %s: no error", name)
		}
	}
}
