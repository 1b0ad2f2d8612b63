package drift

import (
	"errors"
	"fmt"
)

// Settings are the thresholds of this package's findings. The zero Settings are [DefaultSettings].
type Settings struct {
	// WarnRatio and CriticalRatio are shares, 0 to 1; a ratio strictly above one is a finding. They hold for drifted calls and for
	// changed schemas.
	WarnRatio, CriticalRatio float64
	// MinCalls is how many calls a ratio needs; below it the finding is a note that says so.
	MinCalls uint64
	// MinTools is how many tools a release needs for its ratio; below it the finding is a note that says so.
	MinTools int
	// RetryMultiple is from which multiple of the first attempts' tokens on the later attempts' tokens are a finding.
	RetryMultiple float64
	// ErrorsInRow is how many validation errors in a row for one tool and schema version are a finding.
	ErrorsInRow uint64
}

// DefaultSettings returns the thresholds of docs/design.md.
func DefaultSettings() Settings {
	return Settings{WarnRatio: 0.05, CriticalRatio: 0.20, MinCalls: 20, MinTools: 10, RetryMultiple: 3, ErrorsInRow: 3}
}

// Validate reports all settings that make no sense.
func (s Settings) Validate() error {
	var errs []error
	if s.WarnRatio < 0 || s.CriticalRatio > 1 || s.WarnRatio > s.CriticalRatio {
		errs = append(errs, fmt.Errorf("ratios %v and %v are not in order from 0 to 1", s.WarnRatio, s.CriticalRatio))
	}
	if s.MinTools < 0 {
		errs = append(errs, fmt.Errorf("minimum of %d tools is negative", s.MinTools))
	}
	if s.RetryMultiple <= 0 {
		errs = append(errs, fmt.Errorf("retry multiple %v is not positive", s.RetryMultiple))
	}
	if s.ErrorsInRow < 1 {
		errs = append(errs, errors.New("errors in a row are at least 1"))
	}
	return errors.Join(errs...)
}

func (s Settings) orDefault() Settings {
	if s == (Settings{}) {
		return DefaultSettings()
	}
	return s
}
