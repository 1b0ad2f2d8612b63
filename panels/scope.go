package panels

import (
	"errors"
	"fmt"
	"time"
)

// Scope is what a view is narrowed to. Empty fields do not narrow it.
type Scope struct {
	// From is inclusive, To exclusive; both must be set.
	From, To time.Time
	// Window is the width of the points of time series; zero is the one that fits From and To, see [Scope.Step].
	Window time.Duration

	Agent, Model, Server, Tool, Environment, Team string
	// Conversation is the one that the view conversation shows.
	Conversation string
}

// maxPoints is how many points a time series has at most where the scope does not say how wide they are.
const maxPoints = 120

// steps are the widths that points of a time series may have, in seconds.
var steps = []int64{1, 5, 10, 30, 60, 300, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, 86400, 7 * 86400, 28 * 86400}

// Validate says what is wrong with the scope.
func (s Scope) Validate() error {
	switch {
	case s.From.IsZero():
		return errors.New("scope: from is not set")
	case s.To.IsZero():
		return errors.New("scope: to is not set")
	case !s.From.Before(s.To):
		return fmt.Errorf("scope: from %s is not before to %s", s.From.Format(time.RFC3339), s.To.Format(time.RFC3339))
	case s.Window < 0:
		return fmt.Errorf("scope: window %s is negative", s.Window)
	}
	return nil
}

// Step is the width of the points of time series, a whole number of seconds: the window, or the least of a few that leaves at most 120 points.
func (s Scope) Step() time.Duration {
	if s.Window > 0 {
		return max(s.Window.Truncate(time.Second), time.Second)
	}
	span := s.To.Sub(s.From)
	for _, step := range steps {
		if d := time.Duration(step) * time.Second; span <= maxPoints*d {
			return d
		}
	}
	return time.Duration(steps[len(steps)-1]) * time.Second
}

// Get returns the value of a variable by its name, and whether there is such a variable.
func (s Scope) Get(variable string) (value string, ok bool) {
	p := s.field(variable)
	if p == nil {
		return "", false
	}
	return *p, true
}

// Set gives a variable a value and says whether there is such a variable.
func (s *Scope) Set(variable, value string) bool {
	p := s.field(variable)
	if p != nil {
		*p = value
	}
	return p != nil
}

func (s *Scope) field(variable string) *string {
	switch variable {
	case "agent":
		return &s.Agent
	case "model":
		return &s.Model
	case "server":
		return &s.Server
	case "tool":
		return &s.Tool
	case "environment":
		return &s.Environment
	case "team":
		return &s.Team
	case "conversation":
		return &s.Conversation
	}
	return nil
}
