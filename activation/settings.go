package activation

import (
	"errors"
	"slices"
)

// Settings are the rules of this package. The zero Settings are [DefaultSettings].
type Settings struct {
	// Bridges are the names of tools whose argument names the tool that is meant.
	Bridges []string
	// LoopCalls is from how many same failing calls in a row on there is a loop.
	LoopCalls uint64
	// RepeatedLoads is from how many times on a tool loaded in one conversation is loaded too often.
	RepeatedLoads uint64
	// MinCalls is how many calls of one name a rule needs before it is a finding.
	MinCalls uint64
	// WarnShare is the share of all calls, strictly above which a rule's finding is a warning and not a note.
	WarnShare float64
	// NeverCalledShare is the share of loaded tools never called, strictly above which that is a finding.
	NeverCalledShare float64
	// MinLoaded is how many loads the rule for loaded and never called needs.
	MinLoaded uint64
	// MadeUpListed is how many made-up ids a report lists at most; all are counted.
	MadeUpListed int
	// NamesListed is how many names a report lists a rule, and loops in all.
	NamesListed int
	// Findings is how many findings one rule has at most; the report has the rest.
	Findings int
	// SummaryLimit is the longest summary of a tool in a roster, in characters.
	SummaryLimit int64
}

// DefaultSettings returns the settings of docs/design.md.
func DefaultSettings() Settings {
	return Settings{
		Bridges: []string{
			"call_tool", "tool_call", "use_tool", "invoke_tool", "execute_tool", "run_tool", "call_mcp_tool", "use_mcp_tool",
			"gateway_invoke_tool", "gateway_call_tool", "mcp_call_tool",
		},
		LoopCalls:        3,
		RepeatedLoads:    2,
		MinCalls:         1,
		WarnShare:        0.01,
		NeverCalledShare: 0.5,
		MinLoaded:        10,
		MadeUpListed:     1000,
		NamesListed:      100,
		Findings:         20,
		SummaryLimit:     300,
	}
}

// defaults are the settings of a state without a roster.
var defaults = DefaultSettings()

// Validate reports the first setting that makes no sense.
func (s Settings) Validate() error {
	switch {
	case s.LoopCalls < 2:
		return errors.New("check activation settings: a loop needs at least 2 calls")
	case s.RepeatedLoads < 2:
		return errors.New("check activation settings: repeated loads are at least 2")
	case s.WarnShare < 0 || s.WarnShare > 1, s.NeverCalledShare < 0 || s.NeverCalledShare > 1:
		return errors.New("check activation settings: a share is from 0 to 1")
	case s.MadeUpListed < 0 || s.NamesListed < 0 || s.Findings < 0 || s.SummaryLimit < 1:
		return errors.New("check activation settings: a limit is not negative")
	}
	return nil
}

// orDefault returns the defaults for the zero Settings.
func (s Settings) orDefault() Settings {
	if s.Bridges == nil && s.LoopCalls == 0 && s.SummaryLimit == 0 {
		return DefaultSettings()
	}
	return s
}

func (s Settings) isBridge(name string) bool { return slices.Contains(s.Bridges, name) }
