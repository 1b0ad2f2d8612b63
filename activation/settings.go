package activation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Settings are the rules of this package, by the names that they have in the settings file. The zero Settings are [DefaultSettings].
type Settings struct {
	// Bridges are the names of tools whose argument names the tool that is meant.
	Bridges []string `yaml:"bridges"`
	// LoopCalls is from how many same failing calls in a row on there is a loop.
	LoopCalls uint64 `yaml:"loop_calls"`
	// RepeatedLoads is from how many times on a tool loaded in one conversation is loaded too often.
	RepeatedLoads uint64 `yaml:"repeated_loads"`
	// MinCalls is how many calls of one name a rule needs before it is a finding.
	MinCalls uint64 `yaml:"min_calls"`
	// WarnShare is the share of all calls, strictly above which a rule's finding is a warning and not a note.
	WarnShare float64 `yaml:"warn_share"`
	// NeverCalledShare is the share of loaded tools never called, strictly above which that is a finding.
	NeverCalledShare float64 `yaml:"never_called_share"`
	// MinLoaded is how many loads the rule for loaded and never called needs.
	MinLoaded uint64 `yaml:"min_loaded"`
	// MadeUpListed is how many made-up ids a report lists at most; all are counted.
	MadeUpListed int `yaml:"made_up_listed"`
	// NamesListed is how many names a report lists a rule, and loops in all.
	NamesListed int `yaml:"names_listed"`
	// Findings is how many findings one rule has at most; the report has the rest.
	Findings int `yaml:"findings"`
	// NearEdits is how many edits (letters inserted, deleted or replaced) away a name is at most to be called near to another; 0 calls none
	// near. Of a short name it is one edit for every five letters. Near names are shown to people only.
	NearEdits int `yaml:"near_edits"`
	// JudgeAfter is how long after they were stored calls are looked up that came without a resolution: what they are judged by comes beside
	// them, and may come later.
	JudgeAfter time.Duration `yaml:"judge_after"`
	// JudgeBack is how far back, by when they were stored, calls are looked up that never were, that something that came late tells of, or
	// that were by other settings than these.
	JudgeBack time.Duration `yaml:"judge_back"`
	// Roster are the limits of rosters.
	Roster RosterSettings `yaml:"roster"`
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
		NearEdits:        4,
		JudgeAfter:       30 * time.Second,
		JudgeBack:        7 * 24 * time.Hour,
		Roster:           DefaultRosterSettings(),
	}
}

// defaults are the settings of a state without a roster.
var defaults = DefaultSettings()

// Validate reports all settings that make no sense, each by its name in the settings file.
func (s Settings) Validate() error {
	var errs []error
	check := func(ok bool, name string, value any, want string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s %v is %s", name, value, want))
		}
	}
	check(s.LoopCalls >= 2, "loop_calls", s.LoopCalls, "under 2")
	check(s.RepeatedLoads >= 2, "repeated_loads", s.RepeatedLoads, "under 2")
	check(isShare(s.WarnShare), "warn_share", s.WarnShare, "not from 0 to 1")
	check(isShare(s.NeverCalledShare), "never_called_share", s.NeverCalledShare, "not from 0 to 1")
	check(s.MadeUpListed >= 0, "made_up_listed", s.MadeUpListed, "negative")
	check(s.NamesListed >= 0, "names_listed", s.NamesListed, "negative")
	check(s.Findings >= 0, "findings", s.Findings, "negative")
	check(s.NearEdits >= 0, "near_edits", s.NearEdits, "negative")
	check(s.JudgeAfter >= 0, "judge_after", s.JudgeAfter, "negative")
	check(s.JudgeBack >= time.Minute, "judge_back", s.JudgeBack, "under a minute")
	errs = append(errs, checkBridges(s.Bridges)...)
	return errors.Join(append(errs, inSection("roster", s.Roster.Validate()))...)
}

// checkBridges reports names that no tool has, and names that stand there twice.
func checkBridges(names []string) []error {
	var errs []error
	for i, name := range names {
		switch {
		case name == "":
			errs = append(errs, fmt.Errorf("bridges[%d] is empty", i))
		case strings.TrimSpace(name) != name:
			errs = append(errs, fmt.Errorf("bridges[%d] %q has space around it", i, name))
		case slices.Contains(names[:i], name):
			errs = append(errs, fmt.Errorf("bridges[%d] %q stands there twice", i, name))
		}
	}
	return errs
}

func isShare(f float64) bool { return f >= 0 && f <= 1 }

// orDefault returns the defaults where nothing but limits of rosters is set, and for limits that are zero.
func (s Settings) orDefault() Settings {
	roster := s.Roster.orDefault()
	if s.Bridges == nil && s.LoopCalls == 0 {
		s = DefaultSettings()
	}
	s.Roster = roster
	return s
}

func (s Settings) isBridge(name string) bool { return slices.Contains(s.Bridges, name) }
