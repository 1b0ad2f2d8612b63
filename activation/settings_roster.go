package activation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// RosterSettings are the limits of rosters, by the names that they have in the settings file, so that an agent, the lint and the
// analyzer go by the same numbers. A number that is zero has its default, which [DefaultRosterSettings] has. They belong to an
// agent's release: other limits make another text, and a text that changes in a conversation costs its whole cache.
type RosterSettings struct {
	// Text are the limits of [Roster.Text]; an agent's own options go before them.
	Text TextOptions `yaml:"text"`
	// Array are the rules of a [ToolArray]; an agent's own options go before them.
	Array ArrayOptions `yaml:"array"`
	// MentionLimit is how many tools of a server a mention loads, see [Roster.Mention].
	MentionLimit int `yaml:"mention_limit"`
	// ListLimit is how many tools of a connector are listed to a model that asks for the connector's own name, see [Loader.Load].
	ListLimit int `yaml:"list_limit"`
	// Own and External name servers whose tools the team can and can't change, for [Lint].
	Own      []string `yaml:"own"`
	External []string `yaml:"external"`
	// Cost are the assumptions of [Lint]'s estimates.
	Cost LintCost `yaml:"cost"`
}

const (
	// MentionLimit is how many tools of a server a mention loads by default.
	MentionLimit = 60
	// ListLimit is how many tools of a connector are listed by default: as many as a mention loads.
	ListLimit = 60
)

// DefaultRosterSettings returns the limits of docs/design.md and the assumptions of [DefaultLintCost].
func DefaultRosterSettings() RosterSettings {
	return RosterSettings{
		Text: DefaultTextOptions(), MentionLimit: MentionLimit, ListLimit: ListLimit, Cost: DefaultLintCost(),
	}
}

// Validate reports all settings that make no sense, each by its name in the settings file. Zero makes none: leave a field out.
func (s RosterSettings) Validate() error {
	errs := []error{
		inSection("text", s.Text.check()), inSection("array", s.Array.Validate()),
		checkLeast("mention_limit", int64(s.MentionLimit), 1), checkLeast("list_limit", int64(s.ListLimit), 1),
	}
	for i, name := range s.Own {
		if slices.Contains(s.External, name) {
			errs = append(errs, fmt.Errorf("own[%d] %q is external, too", i, name))
		}
	}
	return errors.Join(append(errs, inSection("cost", s.Cost.check()))...)
}

// LintOptions returns the options of [Lint] by the same limits.
func (s RosterSettings) LintOptions() LintOptions {
	s = s.orDefault()
	return LintOptions{Text: s.Text, Own: s.Own, External: s.External, Cost: s.Cost}
}

// orDefault returns the defaults for what is zero.
func (s RosterSettings) orDefault() RosterSettings {
	s.Text = s.Text.orDefault()
	s.MentionLimit = cmp.Or(s.MentionLimit, MentionLimit)
	s.ListLimit = cmp.Or(s.ListLimit, ListLimit)
	s.Cost = s.Cost.orDefault()
	return s
}

// checkLeast reports a number that is too small, by its name in the settings file.
func checkLeast(name string, value, least int64) error {
	if value < least {
		return fmt.Errorf("%s %d is under %d", name, value, least)
	}
	return nil
}

// inSection puts the name of a section before each of the errors that were joined.
func inSection(name string, err error) error {
	if err == nil {
		return nil
	}
	var errs []error
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range all.Unwrap() {
			errs = append(errs, inSection(name, err))
		}
		return errors.Join(errs...)
	}
	return fmt.Errorf("%s.%w", name, err)
}
