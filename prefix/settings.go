package prefix

import (
	"errors"
	"fmt"
	"time"
)

// Settings are the numbers that the rules rest on. See [DefaultSettings].
type Settings struct {
	// MinReadShare is the share of the expected read, from 0 to 1, under which a request counts as a break; default 0.95.
	MinReadShare float64
	// DefaultTTL is how long a cache lives where neither the request nor the price table says; default 5 minutes.
	DefaultTTL time.Duration
	// Lookback is how far, in blocks, a cache marker may stand behind the last one where the price table doesn't say; default 20.
	Lookback int64
	// CompactionMessages is the least number of messages that a history must have had for a start over by the same agent to count
	// as its compaction; default 10.
	CompactionMessages int
	// FluxRequests is the least number of requests in which a part must have changed each time to be called volatile; default 3.
	FluxRequests int
	// WarnTokens and CriticalTokens are the tokens lost from which a finding is a warning, or critical; defaults 10,000 and
	// 1,000,000.
	WarnTokens     int64
	CriticalTokens int64
	// MaxConversations and MaxFindings bound a report: the dearest are kept; defaults 1,000 and 200.
	MaxConversations int
	MaxFindings      int
	// MaxGroup is how many requests without a conversation id are judged together; default 10,000.
	MaxGroup int
	// Prices is the table; default [DefaultPrices].
	Prices Prices
	// Known is what rosters and definitions say of tools; [Analyze] fills it from the store.
	Known KnownTools
}

// DefaultSettings returns the settings of the design document.
func DefaultSettings() Settings {
	return Settings{
		MinReadShare:       0.95,
		DefaultTTL:         5 * time.Minute,
		Lookback:           20,
		CompactionMessages: 10,
		FluxRequests:       3,
		WarnTokens:         10_000,
		CriticalTokens:     1_000_000,
		MaxConversations:   1_000,
		MaxFindings:        200,
		MaxGroup:           10_000,
		Prices:             DefaultPrices(),
	}
}

// Validate reports the first setting that makes no sense.
func (s Settings) Validate() error {
	switch {
	case s.MinReadShare <= 0 || s.MinReadShare > 1:
		return fmt.Errorf("check prefix settings: MinReadShare %v, want more than 0 and at most 1", s.MinReadShare)
	case s.DefaultTTL <= 0:
		return errors.New("check prefix settings: DefaultTTL must be positive")
	case s.Lookback < 1 || s.CompactionMessages < 2 || s.FluxRequests < 2:
		return errors.New("check prefix settings: Lookback must be at least 1, CompactionMessages and FluxRequests at least 2")
	case s.WarnTokens < 0 || s.CriticalTokens < s.WarnTokens:
		return errors.New("check prefix settings: WarnTokens must not be negative nor above CriticalTokens")
	case s.MaxConversations < 1 || s.MaxFindings < 1 || s.MaxGroup < 1:
		return errors.New("check prefix settings: MaxConversations, MaxFindings and MaxGroup must be at least 1")
	}
	return nil
}

// KnownTools is what is known of tools beyond the digests that a request carries. The zero KnownTools knows nothing.
type KnownTools struct {
	// Definitions maps a short wire digest to its definition digest.
	Definitions map[string]string
	// Deferred maps a roster digest to its tools, and those to whether they are deferred.
	Deferred map[string]map[string]bool
}

// sameDefinition reports whether two wire digests are known to be one definition in two encodings.
func (k KnownTools) sameDefinition(a, b string) bool {
	da, ok := k.Definitions[a]
	return ok && da == k.Definitions[b]
}

// flipped reports whether a tool is deferred in one of two rosters and not in the other.
func (k KnownTools) flipped(before, after, tool string) bool {
	a, okA := k.Deferred[before][tool]
	b, okB := k.Deferred[after][tool]
	return okA && okB && a != b
}
