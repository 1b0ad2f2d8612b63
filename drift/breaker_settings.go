package drift

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// BreakerScope is whose calls are counted together.
type BreakerScope string

// The scopes of the breaker.
const (
	// ScopeTool counts the calls of all agents, and disables the tool for all.
	ScopeTool BreakerScope = "tool"
	// ScopeToolAgent counts each agent's calls by themselves, and disables the tool for that agent.
	ScopeToolAgent BreakerScope = "tool_agent"
)

// BreakerSettings say when a tool is disabled, and for how long. Start from [DefaultBreakerSettings].
type BreakerSettings struct {
	// Off disables nothing and tells nobody.
	Off bool `yaml:"off" json:"off"`
	// Errors is how many validation errors in a row, of one tool and schema version, disable it; 1 to [MaxBreakerErrors].
	Errors int          `yaml:"errors" json:"errors"`
	Scope  BreakerScope `yaml:"scope" json:"scope"`
	// MinConversations is in how many conversations at least they have to be, 1 to [MaxBreakerErrors]; calls of no conversation are one.
	MinConversations int `yaml:"min_conversations" json:"min_conversations"`
	// DryRun tells of what would be disabled, and disables nothing.
	DryRun bool `yaml:"dry_run" json:"dry_run"`
	// CoolDown is how long after a tool was disabled one client may try one call, which decides; 0 waits for a person.
	CoolDown time.Duration `yaml:"cool_down" json:"cool_down"`
	// ProbeTimeout is how long that one call may take; then another client may try one.
	ProbeTimeout time.Duration `yaml:"probe_timeout" json:"probe_timeout"`
	// AlertEvery is the pause between two alerts for a tool that is not disabled for what it does.
	AlertEvery time.Duration `yaml:"alert_every" json:"alert_every"`
	// MaxUnregistered is how many tools that are not registered may be disabled, or alerted of, in an hour or until they are enabled, from 0
	// to [MaxUnregistered]: any call can make a name up, and each one's switch takes time that the others wait. 0 is none ever.
	MaxUnregistered int `yaml:"max_unregistered" json:"max_unregistered"`
	// Critical are tools that are never disabled: there is an alert only. They are named SERVER/TOOL, or TOOL where there is no server,
	// and may have * for any characters.
	Critical []string `yaml:"critical" json:"critical,omitzero"`
	// Tools override settings for single tools, by such names. Of several that fit one holds: a whole name before one with a *, else the
	// one with the most other characters.
	Tools map[string]ToolBreaker `yaml:"tools" json:"tools,omitzero"`
}

// ToolBreaker are settings of the breaker for one tool; what is not set is as for all tools.
type ToolBreaker struct {
	Off              *bool          `yaml:"off" json:"off,omitzero"`
	Errors           *int           `yaml:"errors" json:"errors,omitzero"`
	Scope            *BreakerScope  `yaml:"scope" json:"scope,omitzero"`
	MinConversations *int           `yaml:"min_conversations" json:"min_conversations,omitzero"`
	DryRun           *bool          `yaml:"dry_run" json:"dry_run,omitzero"`
	CoolDown         *time.Duration `yaml:"cool_down" json:"cool_down,omitzero"`
	ProbeTimeout     *time.Duration `yaml:"probe_timeout" json:"probe_timeout,omitzero"`
}

// MaxUnregistered is the most that the setting of this name can be: as many tools as a registry knows.
const MaxUnregistered = maxRegistered

// MaxBreakerErrors is the most that the errors in a row, and the conversations they are in, can be set to.
const MaxBreakerErrors = 100

// DefaultBreakerSettings disables a tool after three validation errors in a row over all agents (docs/design.md), until a person enables
// it. A probe has five minutes; alerts for a tool that stays enabled are an hour apart. 64 tools that are not registered can be disabled an
// hour (docs/decisions/116-tools-that-nobody-registered.md).
func DefaultBreakerSettings() BreakerSettings {
	return BreakerSettings{
		Errors: 3, Scope: ScopeTool, MinConversations: 1, ProbeTimeout: 5 * time.Minute, AlertEvery: time.Hour, MaxUnregistered: 64,
	}
}

// Validate reports all settings that make no sense, each by its name in the settings file.
func (s BreakerSettings) Validate() error {
	errs := []error{s.check("")}
	if s.AlertEvery < 0 {
		errs = append(errs, fmt.Errorf("alert_every %s is negative", s.AlertEvery))
	}
	if s.MaxUnregistered < 0 || s.MaxUnregistered > MaxUnregistered {
		errs = append(errs, fmt.Errorf("max_unregistered %d is not from 0 to %d", s.MaxUnregistered, MaxUnregistered))
	}
	if slices.Contains(s.Critical, "") {
		errs = append(errs, errors.New("critical: a tool has no name"))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Tools)) {
		if name == "" {
			errs = append(errs, errors.New("tools: a tool has no name"))
		}
		errs = append(errs, s.override(s.Tools[name]).check("tools["+strconv.Quote(name)+"]."))
	}
	return errors.Join(errs...)
}

// check reports what can't be of the settings that tools may have of their own; of starts each name.
func (s BreakerSettings) check(of string) error {
	var errs []error
	for name, n := range map[string]int{"errors": s.Errors, "min_conversations": s.MinConversations} {
		if n < 1 || n > MaxBreakerErrors {
			errs = append(errs, fmt.Errorf("%s%s %d is not from 1 to %d", of, name, n, MaxBreakerErrors))
		}
	}
	if s.Scope != ScopeTool && s.Scope != ScopeToolAgent {
		errs = append(errs, fmt.Errorf("%sscope %q is neither %s nor %s", of, s.Scope, ScopeTool, ScopeToolAgent))
	}
	if s.CoolDown < 0 {
		errs = append(errs, fmt.Errorf("%scool_down %s is negative", of, s.CoolDown))
	}
	if s.ProbeTimeout <= 0 {
		errs = append(errs, fmt.Errorf("%sprobe_timeout %s is not positive", of, s.ProbeTimeout))
	}
	return errors.Join(errs...)
}

// Of returns the settings as they hold for one tool.
func (s BreakerSettings) Of(k Key) BreakerSettings {
	if len(s.Tools) == 0 {
		return s
	}
	own, ok := ownOf(s.Tools, k.String())
	if !ok {
		return s
	}
	return s.override(own)
}

func (s BreakerSettings) override(own ToolBreaker) BreakerSettings {
	set(&s.Off, own.Off)
	set(&s.Errors, own.Errors)
	set(&s.Scope, own.Scope)
	set(&s.MinConversations, own.MinConversations)
	set(&s.DryRun, own.DryRun)
	set(&s.CoolDown, own.CoolDown)
	set(&s.ProbeTimeout, own.ProbeTimeout)
	return s
}

// alertOnly returns why a tool would not be disabled at a time, by the switches it is subject to and whether its calls were a canary's;
// empty where it would.
func (s *BreakerSettings) alertOnly(k Key, canary bool, at time.Time, over ...*Switch) AlertOnly {
	switch {
	case s.DryRun:
		return AlertDryRun
	case canary:
		return AlertCanary
	case slices.ContainsFunc(s.Critical, func(name string) bool { return fitsName(name, k.String()) }):
		return AlertCritical
	}
	for _, o := range over {
		if o != nil && o.State == SwitchEnabled && at.Before(o.Until) {
			return AlertKept
		}
	}
	return ""
}
