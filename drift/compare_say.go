package drift

import (
	"fmt"
	"strings"
)

// Text says in a few words what changed, without the path.
func (c *Change) Text() string {
	text := strings.ReplaceAll(c.Kind, "_", " ")
	switch {
	case len(c.Old) > 0 && len(c.New) > 0:
		text += fmt.Sprintf(": %s -> %s", c.Old, c.New)
	case len(c.Old) > 0:
		text += ": " + string(c.Old)
	case len(c.New) > 0:
		text += ": " + string(c.New)
	}
	if c.Note != "" {
		text += " (" + c.Note + ")"
	}
	return text
}

// Text says what becomes of the call.
func (w *Witness) Text() string {
	switch {
	case len(w.Errors) > 0:
		e := w.Errors[0]
		return fmt.Sprintf("%s was valid; now %s fails at %q", w.Arguments, e.Keyword, e.Path)
	case len(w.Ignored) > 0:
		return fmt.Sprintf("%s stays valid; %s is ignored", w.Arguments, strings.Join(w.Ignored, ", "))
	}
	return fmt.Sprintf("%s stays valid and means something else", w.Arguments)
}

// Text says what the hint is and what it rests on.
func (r *FieldRename) Text() string {
	text := fmt.Sprintf("%s may be %s now (%s)", r.From, r.To, strings.Join(r.Evidence, ", "))
	if r.SilentDefault {
		text += "; calls by the old name run with its default"
	}
	return text
}

// Text says what the hint is and what it rests on.
func (r *ToolRename) Text() string {
	how := "may be"
	if r.Merged {
		how = "may be part of"
	}
	return fmt.Sprintf("%s %s %s now (%s)", r.From, how, r.To, strings.Join(r.Evidence, ", "))
}
