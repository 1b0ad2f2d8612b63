package drift

import (
	"fmt"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/finding"
)

// RuleToolDisabled is the rule of what the breaker decides.
const RuleToolDisabled = "tool_disabled"

// Untold reports that the breaker decided something that people were not told of yet.
func (s *Switch) Untold() bool {
	return s != nil && !s.Told && (s.AlertOnly != "" || s.By == ByBreaker && s.State != SwitchEnabled)
}

// DecidedAt is when the breaker last disabled the tool or alerted.
func (s *Switch) DecidedAt() time.Time {
	if s.AlertOnly != "" {
		return s.AlertedAt
	}
	return s.Since
}

// Finding says to people what the breaker decided, and what to do.
func (s *Switch) Finding() finding.Finding {
	f := finding.Finding{
		Detector: Detector, Rule: RuleToolDisabled, Severity: finding.Critical,
		Subject: finding.Subject{Server: s.Server, Tool: s.Tool, Agent: s.Agent, Release: s.Version},
		Numbers: map[string]float64{"errors": float64(s.ErrorCount), "conversations": float64(s.ConversationCount)},
		Title:   s.title(), Action: s.action(),
	}
	f.Sign()
	return f
}

func (s *Switch) title() string {
	what := named(s.Server, s.Tool)
	if s.Agent != "" {
		what += " for " + s.Agent
	}
	why := inARow(s.ErrorCount) + of(s.Version) + inConversations(s.ConversationCount)
	switch s.AlertOnly {
	case AlertDryRun:
		return "Dry run: " + what + " would have been disabled: " + why
	case AlertCritical:
		return what + " is critical and stays enabled: " + why
	case AlertCanary:
		return "The canary of " + what + " fails, and the tool stays enabled: " + why
	case AlertKept:
		return what + " is kept enabled until " + s.Until.UTC().Format(time.RFC3339) + ": " + why
	}
	return what + " is disabled: " + why
}

func inConversations(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", in one conversation"
	}
	return fmt.Sprintf(", in %d conversations", n)
}

func (s *Switch) action() string {
	if s.AlertOnly == AlertCanary {
		return "End the trial: tooltrail schema canary abort " + named(s.Server, s.Tool)
	}
	see := "See which arguments failed"
	if wrong := s.wrong(); wrong != "" {
		see += " (" + wrong + ")"
	}
	see += " and bring the schema and its callers together"
	if s.State == SwitchEnabled {
		return see + "; until then calls go on failing."
	}
	enable := "tooltrail tools enable " + named(s.Server, s.Tool)
	if s.Agent != "" {
		enable += " --agent " + s.Agent
	}
	if !s.ProbeAfter.IsZero() {
		return see + "; one call is tried from " + s.ProbeAfter.UTC().Format(time.RFC3339) + " on, or enable it at once: " + enable
	}
	return see + ", then enable it: " + enable
}

// wrong names the places where the last call did not fit.
func (s *Switch) wrong() string {
	var all []string
	for _, e := range s.Errors {
		path := e.Path
		if path == "" {
			path = "/"
		}
		all = append(all, strings.TrimSuffix(path+": "+e.Keyword, ": "))
	}
	return strings.Join(all, ", ")
}
