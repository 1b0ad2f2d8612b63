package prefix

import (
	"errors"
	"fmt"
	"time"
)

// Settings are the numbers that the rules rest on, by the names that they have in the settings file. See [DefaultSettings].
type Settings struct {
	// MinReadShare is the share of the expected read, from 0 to 1, under which a request counts as a break; default 0.95.
	MinReadShare float64 `yaml:"min_read_share"`
	// DefaultTTL is how long a cache lives where neither the request nor the price table says; default 5 minutes.
	DefaultTTL time.Duration `yaml:"default_ttl"`
	// Lookback is how far, in blocks, a cache marker may stand behind the last one where the price table doesn't say; default 20.
	Lookback int64 `yaml:"lookback"`
	// CompactionMessages is the least number of messages that a history must have had for a start over by the same agent to count
	// as its compaction; default 10.
	CompactionMessages int `yaml:"compaction_messages"`
	// FluxRequests is in how many requests a part must at least be, changed in each, to be called volatile, or how often it must have taken
	// another new value where it did not change each time; default 3.
	FluxRequests int `yaml:"flux_requests"`
	// WarnTokens and CriticalTokens are the tokens lost from which a finding is a warning, or critical; defaults 10,000 and
	// 1,000,000.
	WarnTokens     int64 `yaml:"warn_tokens"`
	CriticalTokens int64 `yaml:"critical_tokens"`
	// MaxConversations and MaxFindings bound a report: the dearest are kept; defaults 1,000 and 200.
	MaxConversations int `yaml:"max_conversations"`
	MaxFindings      int `yaml:"max_findings"`
	// MaxGroup is how many requests without a conversation id are judged together; default 10,000.
	MaxGroup int `yaml:"max_group"`
	// MaxConversationRequests is how many requests of one conversation are judged together; of a longer one, what came a quarter of as many
	// before a new request or behind it is judged anew with it, and the rest stays as it is. Default 2,000.
	MaxConversationRequests int `yaml:"max_conversation_requests"`
	// JudgeBack is how far back, by when they were stored, requests are judged that never were, or by other settings than these;
	// default 7 days.
	JudgeBack time.Duration `yaml:"judge_back"`
	// Prices is the table; default [DefaultPrices].
	Prices Prices `yaml:"-"`
	// Known is what rosters and definitions say of tools; [Analyze] fills it from the store.
	Known KnownTools `yaml:"-"`
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

		MaxConversationRequests: 2_000,
		JudgeBack:               7 * 24 * time.Hour,

		Prices: DefaultPrices(),
	}
}

// Validate reports all settings that make no sense, each by its name in the settings file.
func (s Settings) Validate() error {
	var errs []error
	least := func(name string, n, least int64) {
		if n < least {
			errs = append(errs, fmt.Errorf("%s %d is under %d", name, n, least))
		}
	}
	if !(s.MinReadShare > 0 && s.MinReadShare <= 1) {
		errs = append(errs, fmt.Errorf("min_read_share %v is not over 0 and up to 1", s.MinReadShare))
	}
	if s.DefaultTTL <= 0 {
		errs = append(errs, fmt.Errorf("default_ttl %s is not positive", s.DefaultTTL))
	}
	least("lookback", s.Lookback, 1)
	least("compaction_messages", int64(s.CompactionMessages), 2)
	least("flux_requests", int64(s.FluxRequests), 2)
	least("warn_tokens", s.WarnTokens, 0)
	least("critical_tokens", s.CriticalTokens, s.WarnTokens)
	least("max_conversations", int64(s.MaxConversations), 1)
	least("max_findings", int64(s.MaxFindings), 1)
	least("max_group", int64(s.MaxGroup), 1)
	least("max_conversation_requests", int64(s.MaxConversationRequests), 8)
	if s.JudgeBack < time.Minute {
		errs = append(errs, fmt.Errorf("judge_back %s is under a minute", s.JudgeBack))
	}
	return errors.Join(errs...)
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
