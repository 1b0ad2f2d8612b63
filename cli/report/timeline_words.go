package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/prefix"
)

// maxListed is how many names a sentence of the timeline lists.
const maxListed = 6

// Why says in one sentence what is known of a break, or of a change that broke nothing: what it was compared with, what changed, what
// made it change, and what else holds. It is not yet [Safe].
func (r *JudgedRequest) Why() string {
	parts := notEmpty([]string{
		r.against(), r.modelText(), toolText(r.ToolChanges), r.systemText(), r.paramText(), r.messageText(), r.causeText(), r.alsoText(),
	})
	if r.Verdict == prefix.Unattributed && len(parts) < 2 {
		parts = append(parts, r.unexplained())
	}
	return strings.Join(parts, "; ")
}

// unexplained says that nothing explains a break, and claims no more than what was recorded.
func (r *JudgedRequest) unexplained() string {
	if len(r.Unseen) > 0 {
		return "nothing that was recorded explains it; whether " + strings.Join(r.Unseen, ", ") + " changed is not known, since they were not recorded"
	}
	return "nothing that was sent explains it: the provider dropped the cache"
}

// against says what the request was compared with, and how long after its end it began.
func (r *JudgedRequest) against() string {
	if r.Compared == nil {
		return ""
	}
	text := fmt.Sprintf("%s after request %d", gapText(*r.GapSeconds), *r.Compared)
	if r.says(prefix.TTLExpired) {
		text += ", longer than its cache lives"
	}
	if r.ClockBackwards {
		text = fmt.Sprintf("began before request %d ended", *r.Compared)
	}
	return text
}

func gapText(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(math.Round(d.Seconds()*10)/10, 'f', -1, 64) + " s"
	}
	text := d.Round(time.Second).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

func (r *JudgedRequest) modelText() string {
	if r.FormerModel == "" || !r.says(prefix.ModelChanged) {
		return ""
	}
	return "model " + r.FormerModel + " -> " + modelName(r.Provider, r.Model)
}

// says reports whether a reason is the verdict or a secondary one.
func (r *JudgedRequest) says(v prefix.Verdict) bool {
	return r.Verdict == v || slices.Contains(r.Secondary, v)
}

// modelName names a model with its provider.
func modelName(provider, model string) string {
	switch {
	case provider == "":
		return named(model)
	case model == "":
		return provider
	}
	return provider + "/" + model
}

// toolText names the tools that changed, a kind after the other.
func toolText(changes []prefix.ToolChange) string {
	var order []string
	byKind := map[string][]string{}
	for i := range changes {
		c := &changes[i]
		kind := toolKindText(c)
		if byKind[kind] == nil {
			order = append(order, kind)
		}
		byKind[kind] = append(byKind[kind], c.Name+toolPlace(c))
	}
	var parts []string
	for _, kind := range order {
		parts = append(parts, kind+": "+few(byKind[kind]))
	}
	if len(parts) == 0 {
		return ""
	}
	return "tools " + strings.Join(parts, ", ")
}

func toolKindText(c *prefix.ToolChange) string {
	text := string(c.Kind)
	if c.Middle {
		text += " in the middle"
	}
	if c.Rhythm == prefix.Volatile || c.Rhythm == prefix.Flapping {
		text += " (" + string(c.Rhythm) + ")"
	}
	return text
}

// toolPlace says where the tool stands, counted from 1, where that tells more than its kind does.
func toolPlace(c *prefix.ToolChange) string {
	if !c.Middle && c.Kind != prefix.ToolReordered {
		return ""
	}
	return " (place " + strconv.Itoa(c.Index+1) + ")"
}

// rhythmText says how a part keeps changing.
func rhythmText(r prefix.Rhythm) string {
	switch r {
	case prefix.Volatile:
		return "volatile: takes a new value again and again"
	case prefix.Flapping:
		return "flapping: goes back and forth between a few values"
	}
	return string(r)
}

func (r *JudgedRequest) systemText() string {
	if r.SystemBlock == nil {
		return ""
	}
	text := "system block " + strconv.Itoa(*r.SystemBlock) + " changed"
	switch r.SystemRhythm {
	case "":
	case prefix.Once:
		text += " once"
	default:
		text += " (" + rhythmText(r.SystemRhythm) + ")"
	}
	return text
}

func (r *JudgedRequest) paramText() string {
	if len(r.Params) == 0 {
		return ""
	}
	return "changed parameters: " + few(r.Params)
}

func (r *JudgedRequest) messageText() string {
	if r.Message == nil || !r.says(prefix.MessagesChanged) && !r.says(prefix.Compaction) {
		return ""
	}
	return "messages differ from message " + strconv.Itoa(*r.Message) + " on"
}

func (r *JudgedRequest) causeText() string {
	if r.Cause == prefix.CauseNone {
		return ""
	}
	text := "cause " + string(r.Cause)
	if len(r.CauseNames) > 0 {
		text += " of " + few(r.CauseNames)
	}
	return text
}

// alsoText names the secondary reasons of a break, and the risks of a request that broke nothing.
func (r *JudgedRequest) alsoText() string {
	if len(r.Secondary) == 0 {
		return ""
	}
	lead := "also "
	if !r.Break {
		lead = "a risk: "
	}
	return lead + verdictList(r.Secondary)
}

func verdictList(all []prefix.Verdict) string {
	var names []string
	for _, v := range all {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

// diagnosisText says what the provider says, and how it stands beside the verdict.
func (r *JudgedRequest) diagnosisText() string {
	if r.Diagnosis == "" {
		return ""
	}
	text := "the provider says " + r.Diagnosis
	if r.Diagnosed != "" && string(r.Diagnosed) != r.Diagnosis {
		text += ", which is " + string(r.Diagnosed)
	}
	if r.Agreement != "" {
		text += ": " + string(r.Agreement)
	}
	return text
}

// few lists names, and counts those beyond the limit.
func few(names []string) string {
	if len(names) > maxListed {
		return strings.Join(names[:maxListed], ", ") + " and " + Count(int64(len(names)-maxListed)) + " more"
	}
	return strings.Join(names, ", ")
}

// text says what happened.
func (h *HappeningLine) text() string {
	text := h.Time.UTC().Format(time.TimeOnly) + " "
	if h.Time.IsZero() {
		text = ""
	}
	switch h.Kind {
	case prefix.HappenedActivation:
		text += "activation loaded " + few(h.Tools)
		if len(h.Servers) > 0 {
			text += " of " + few(h.Servers)
		}
		return text
	case prefix.HappenedConnection:
		return text + "connection: " + few(h.Servers) + " came or went, " + Plural(int64(len(h.Tools)), "tool") + " in the list"
	}
	text += string(h.Kind) + ": a list of " + Plural(int64(len(h.Tools)), "tool")
	if len(h.Servers) > 0 {
		text += " of " + few(h.Servers)
	}
	return text
}
