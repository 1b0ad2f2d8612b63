package drift

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"
)

// Settings are the thresholds of this package's findings. The zero Settings are [DefaultSettings]. Each is described in docs/drift.md.
type Settings struct {
	// WarnRatio and CriticalRatio are shares, 0 to 1; a ratio strictly above one is a finding. They hold for drifted calls and for
	// changed schemas.
	WarnRatio     float64 `yaml:"warn_ratio" json:"warn_ratio"`
	CriticalRatio float64 `yaml:"critical_ratio" json:"critical_ratio"`
	// MinCalls is how many calls a ratio over the whole of what is looked at needs; below it the finding is a note that says so.
	MinCalls uint64 `yaml:"min_calls" json:"min_calls"`
	// MinTools is how many tools a release needs for its ratio; below it the finding is a note that says so.
	MinTools int `yaml:"min_tools" json:"min_tools"`
	// RetryMultiple is from which multiple of the first attempts' tokens on the later attempts' tokens are a finding.
	RetryMultiple float64 `yaml:"retry_multiple" json:"retry_multiple"`
	// ErrorsInRow is how many validation errors in a row for one tool and schema version are a finding.
	ErrorsInRow uint64 `yaml:"errors_in_row" json:"errors_in_row"`
	// Windows are the spans that ratios are said for, besides the whole; at most [MaxWindows].
	Windows []WindowSettings `yaml:"windows" json:"windows"`
	Sunset  SunsetSettings   `yaml:"sunset" json:"sunset"`
	Canary  CanarySettings   `yaml:"canary" json:"canary"`
	// Tools override settings for single tools, by SERVER/TOOL, or by TOOL where it has no server; names may have * for any characters.
	// Of several that fit one holds: a whole name before one with a *, else the one with the most other characters.
	Tools map[string]ToolSettings `yaml:"tools" json:"tools,omitzero"`
}

// WindowSettings is one span that ratios are said for. It ends when what is looked at ends.
type WindowSettings struct {
	Length time.Duration `yaml:"length" json:"length"`
	// MinCalls is how many calls a ratio needs to be a finding of this window.
	MinCalls uint64 `yaml:"min_calls" json:"min_calls"`
	// Certain asks for more than a ratio over a threshold: all of its 95 % interval is over it. It keeps a short window quiet about a
	// tool that is always a little under.
	Certain bool `yaml:"certain" json:"certain"`
}

// SunsetSettings say when a version that was replaced can go.
type SunsetSettings struct {
	// AfterDays is for how many days its successor has to have been active.
	AfterDays int `yaml:"after_days" json:"after_days"`
	// OverDays is over how many days its share of the calls is taken.
	OverDays int `yaml:"over_days" json:"over_days"`
	// MaxShare is a share, 0 to 1, that the old version's has to be strictly under.
	MaxShare float64 `yaml:"max_share" json:"max_share"`
	// MinCalls is how many calls of the tool that needs.
	MinCalls uint64 `yaml:"min_calls" json:"min_calls"`
}

// CanarySettings say when a version on trial is better not, or can, go to all.
type CanarySettings struct {
	// MinCalls and MinConversations are what each cohort needs; below it is too early.
	MinCalls         uint64 `yaml:"min_calls" json:"min_calls"`
	MinConversations uint64 `yaml:"min_conversations" json:"min_conversations"`
	// Margin is a difference of ratios, 0 to 1, that does not matter: with 95 % confidence less than it is no worse.
	Margin float64 `yaml:"margin" json:"margin"`
	// CriticalDifference is a difference of ratios, 0 to 1; a canary worse by strictly more is critical.
	CriticalDifference float64 `yaml:"critical_difference" json:"critical_difference"`
}

// ToolSettings are settings for one tool; what is not set is as for all tools.
type ToolSettings struct {
	WarnRatio     *float64 `yaml:"warn_ratio" json:"warn_ratio,omitzero"`
	CriticalRatio *float64 `yaml:"critical_ratio" json:"critical_ratio,omitzero"`
	// MinCalls holds for the whole and for each window.
	MinCalls      *uint64  `yaml:"min_calls" json:"min_calls,omitzero"`
	RetryMultiple *float64 `yaml:"retry_multiple" json:"retry_multiple,omitzero"`
	ErrorsInRow   *uint64  `yaml:"errors_in_row" json:"errors_in_row,omitzero"`
}

const (
	// MaxWindows is how many windows there can be: each is one more count a call.
	MaxWindows = 8
	// MaxWindow is the longest that a window can be; every run reads all calls in it.
	MaxWindow = 31 * 24 * time.Hour
	// MaxDays is the most days that a sunset's setting can be.
	MaxDays = 3650
)

// DefaultSettings returns the thresholds of docs/design.md.
func DefaultSettings() Settings {
	return Settings{
		WarnRatio: 0.05, CriticalRatio: 0.20, MinCalls: 20, MinTools: 10, RetryMultiple: 3, ErrorsInRow: 3,
		Windows: []WindowSettings{
			{Length: 5 * time.Minute, MinCalls: 50}, {Length: time.Hour, MinCalls: 50}, {Length: 24 * time.Hour, MinCalls: 20},
		},
		Sunset: SunsetSettings{AfterDays: 42, OverDays: 7, MaxShare: 0.01, MinCalls: 500},
		Canary: CanarySettings{MinCalls: 50, MinConversations: 10, Margin: 0.05, CriticalDifference: 0.20},
	}
}

// Validate reports all settings that make no sense, each by its name in the settings file.
func (s Settings) Validate() error {
	errs := []error{checkRatios("", s.WarnRatio, s.CriticalRatio), checkMultiple("", s.RetryMultiple), checkRow("", s.ErrorsInRow)}
	if s.MinTools < 0 {
		errs = append(errs, fmt.Errorf("min_tools %d is negative", s.MinTools))
	}
	errs = append(errs, s.checkWindows(), s.Sunset.validate(), s.Canary.validate())
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		errs = append(errs, s.checkTool(name))
	}
	return errors.Join(errs...)
}

func checkRatios(of string, warn, critical float64) error {
	if !(warn >= 0 && warn <= critical && critical <= 1) {
		return fmt.Errorf("%swarn_ratio %v and critical_ratio %v are not in order from 0 to 1", of, warn, critical)
	}
	return nil
}

func checkMultiple(of string, m float64) error {
	if !(m > 0) {
		return fmt.Errorf("%sretry_multiple %v is not positive", of, m)
	}
	return nil
}

func checkRow(of string, n uint64) error {
	if n < 1 {
		return fmt.Errorf("%serrors_in_row is at least 1", of)
	}
	return nil
}

func (s Settings) checkWindows() error {
	var errs []error
	if len(s.Windows) > MaxWindows {
		errs = append(errs, fmt.Errorf("windows are %d, at most %d", len(s.Windows), MaxWindows))
	}
	seen := map[time.Duration]bool{}
	for i, w := range s.Windows {
		switch {
		case w.Length < time.Minute || w.Length > MaxWindow:
			errs = append(errs, fmt.Errorf("windows[%d].length %s is not from 1m to %s", i, w.Length, MaxWindow))
		case w.Length%time.Minute != 0:
			errs = append(errs, fmt.Errorf("windows[%d].length %s is not in whole minutes", i, w.Length))
		case w.MinCalls == 0:
			errs = append(errs, fmt.Errorf("windows[%d].min_calls is missing or 0", i))
		case seen[w.Length]:
			errs = append(errs, fmt.Errorf("windows[%d].length %s is there twice", i, w.Length))
		}
		seen[w.Length] = true
	}
	return errors.Join(errs...)
}

func (s SunsetSettings) validate() error {
	var errs []error
	if s.AfterDays < 0 || s.AfterDays > MaxDays {
		errs = append(errs, fmt.Errorf("sunset.after_days %d is not from 0 to %d", s.AfterDays, MaxDays))
	}
	if s.OverDays < 1 || s.OverDays > MaxDays {
		errs = append(errs, fmt.Errorf("sunset.over_days %d is not from 1 to %d", s.OverDays, MaxDays))
	}
	if !(s.MaxShare >= 0 && s.MaxShare <= 1) {
		errs = append(errs, fmt.Errorf("sunset.max_share %v is not from 0 to 1", s.MaxShare))
	}
	return errors.Join(errs...)
}

func (s CanarySettings) validate() error {
	var errs []error
	if !(s.Margin > 0 && s.Margin <= 1) {
		errs = append(errs, fmt.Errorf("canary.margin %v is not over 0 and up to 1", s.Margin))
	}
	if !(s.CriticalDifference >= 0 && s.CriticalDifference <= 1) {
		errs = append(errs, fmt.Errorf("canary.critical_difference %v is not from 0 to 1", s.CriticalDifference))
	}
	return errors.Join(errs...)
}

// checkTool validates what holds for a tool once its own settings are in place.
func (s Settings) checkTool(name string) error {
	t, of := s.override(s.Tools[name]), fmt.Sprintf("tools[%q].", name)
	var errs []error
	if name == "" {
		errs = append(errs, errors.New("tools: a tool has no name"))
	}
	return errors.Join(append(errs, checkRatios(of, t.WarnRatio, t.CriticalRatio), checkMultiple(of, t.RetryMultiple), checkRow(of, t.ErrorsInRow))...)
}

// Of returns the settings as they hold for one tool.
func (s Settings) Of(k Key) Settings {
	own, ok := ownOf(s.Tools, k.String())
	if !ok {
		return s
	}
	return s.override(own)
}

// leastErrorsInRow is the smallest number of errors in a row that is a finding for some tool.
func (s Settings) leastErrorsInRow() uint64 {
	least := s.ErrorsInRow
	for _, own := range s.Tools {
		if own.ErrorsInRow != nil {
			least = min(least, *own.ErrorsInRow)
		}
	}
	return least
}

// override returns s with what is set for one tool.
func (s Settings) override(own ToolSettings) Settings {
	set(&s.WarnRatio, own.WarnRatio)
	set(&s.CriticalRatio, own.CriticalRatio)
	set(&s.MinCalls, own.MinCalls)
	set(&s.RetryMultiple, own.RetryMultiple)
	set(&s.ErrorsInRow, own.ErrorsInRow)
	if own.MinCalls != nil {
		s.Windows = slices.Clone(s.Windows)
		for i := range s.Windows {
			s.Windows[i].MinCalls = *own.MinCalls
		}
	}
	return s
}

func set[T any](to, own *T) {
	if own != nil {
		*to = *own
	}
}

func (s Settings) orDefault() Settings {
	if reflect.ValueOf(s).IsZero() {
		return DefaultSettings()
	}
	return s
}
