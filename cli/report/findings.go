package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/finding"
)

// severityColours are the colours of severities.
var severityColours = map[finding.Severity]string{finding.Critical: red, finding.Warning: yellow, finding.Info: cyan}

// Findings prints up to limit findings in the order given, some of each detector and each with what to do; a limit of 0, or [Style.All], prints all. The same
// trouble overall and by model is one of them.
func Findings(w io.Writer, fs []finding.Finding, s Style, limit int) error {
	groups := byTrouble(fs)
	if s.All {
		limit = 0
	}
	shown := fairShare(groups, limit)
	for i := range shown {
		if _, err := io.WriteString(w, findingText(shown[i], s)); err != nil {
			return err
		}
	}
	if more := len(groups) - len(shown); more > 0 {
		if err := note(w, s, andMore(more, "finding")); err != nil {
			return err
		}
	}
	if folded := len(fs) - len(groups); folded > 0 {
		return note(w, s, "Not listed apart: "+Plural(int64(folded), "finding")+" on single models, shown with those over all of them.")
	}
	return nil
}

// trouble is a finding over all models, and those that say the same of single models; or any other finding alone.
type trouble struct {
	*finding.Finding
	models []*finding.Finding
}

// byTrouble puts findings on single models to the one over all models, where there is one; each stands where the first of them did.
func byTrouble(fs []finding.Finding) []trouble {
	overall := map[string]*finding.Finding{}
	for i := range fs {
		if f := &fs[i]; f.Subject.Model == "" {
			overall[sameTrouble(f)] = f
		}
	}
	var all []trouble
	at := map[*finding.Finding]int{}
	for i := range fs {
		f := &fs[i]
		head := f
		if o := overall[sameTrouble(f)]; f.Subject.Model != "" && o != nil {
			head = o
		}
		if _, known := at[head]; !known {
			at[head] = len(all)
			all = append(all, trouble{Finding: head})
		}
		if head != f {
			all[at[head]].models = append(all[at[head]].models, f)
		}
	}
	return all
}

// sameTrouble is equal for findings that differ in their model only.
func sameTrouble(f *finding.Finding) string {
	s := f.Subject
	return strings.Join([]string{f.Detector, f.Rule, s.Server, s.Tool, s.Agent, s.Conversation, s.Release}, "\x00")
}

// findingText is a finding on a line or more, those on single models in one, and its action behind an arrow.
func findingText(f trouble, s Style) string {
	const tag = len("critical ")
	pad := strings.Repeat(" ", tag)
	head := wrap(f.Title+where(f.Finding), indent+pad, indent+pad, s.textWidth())
	label := s.paint(severityColours[f.Severity], Safe(fmt.Sprintf("%-*s", tag, f.Severity)))
	text := indent + label + head[len(indent)+tag:]
	if len(f.models) > 0 {
		text += wrap("By model: "+modelRatios(f.models), indent+pad, indent+pad, s.textWidth())
	}
	if f.Action != "" {
		text += wrap(f.Action, indent+pad+"-> ", indent+pad+"   ", s.textWidth())
	}
	if f.Example != "" {
		text += wrap("For example "+Cut(Safe(f.Example), maxExample), indent+pad+"   ", indent+pad+"   ", s.textWidth())
	}
	return text
}

// maxExample is where an example is cut; the JSON report has all of it.
const maxExample = 300

// where names the server, agent and conversation of a finding that its title does not name.
func where(f *finding.Finding) string {
	var all []string
	if server := f.Subject.Server; server != "" && !strings.Contains(strings.ToLower(f.Title), strings.ToLower(server)) {
		all = append(all, "server "+Cut(Safe(server), maxCell))
	}
	for _, p := range []struct{ word, name string }{{"conversation ", f.Subject.Conversation}, {"agent ", f.Subject.Agent}} {
		if p.name != "" && !strings.Contains(" "+f.Title+" ", " "+p.name+" ") {
			all = append(all, p.word+Cut(Safe(p.name), maxCell))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// modelRatios names models with their ratio, where it is known.
func modelRatios(fs []*finding.Finding) string {
	var all []string
	for _, f := range fs {
		text := f.Subject.Model
		if ratio, known := f.Numbers["ratio"]; known {
			text += " " + Percent(ratio)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// tally says how many findings of each severity there are.
func tally(fs []finding.Finding) string {
	n := map[finding.Severity]int64{}
	for i := range fs {
		n[fs[i].Severity]++
	}
	var parts []string
	for _, k := range []struct {
		s    finding.Severity
		word string
	}{{finding.Critical, "critical"}, {finding.Warning, "warning"}, {finding.Info, "info"}} {
		if n[k.s] > 0 {
			word := k.word
			if k.s == finding.Warning && n[k.s] > 1 {
				word += "s"
			}
			parts = append(parts, Count(n[k.s])+" "+word)
		}
	}
	if len(parts) == 0 {
		return "no findings"
	}
	return Plural(int64(len(fs)), "finding") + ": " + strings.Join(parts, ", ")
}

// FindingList prints stored findings, each with the start of its fingerprint, its state, when it was seen, whose it is, and what changed around its
// start.
func FindingList(w io.Writer, fs []finding.Finding, s Style) error {
	if len(fs) == 0 {
		return note(w, s, "No findings.")
	}
	pad := indent + strings.Repeat(" ", len("critical "))
	for i := range fs {
		f := &fs[i]
		text := findingText(trouble{Finding: f}, s)
		if len(f.Changes) > 0 {
			text += wrap(capital(f.Changes[0].Text)+".", pad, pad, s.textWidth())
		}
		if _, err := io.WriteString(w, text+s.paint(dim, wrap(findingLine(f), pad, pad, s.textWidth()))); err != nil {
			return err
		}
	}
	return nil
}

// findingLine says of a finding what is not the fact itself.
func findingLine(f *finding.Finding) string {
	seen := fmt.Sprintf("%s %s/%s %s, first seen %s, last %s", ShortFingerprint(f.Fingerprint), f.Detector, f.Rule, stateText(f), minute(f.FirstSeen), minute(f.LastSeen))
	if whose := ownerText(f); whose != "" {
		seen += ", " + whose
	}
	if f.Reopened > 0 {
		seen += ", reopened " + times(f.Reopened)
	}
	return seen
}

// shortFingerprint is how much of a fingerprint is shown: the start that tells findings apart.
const shortFingerprint = 8

// ShortFingerprint returns the start of a fingerprint, which commands take for all of it.
func ShortFingerprint(f string) string { return f[:min(len(f), shortFingerprint)] }

// stateText is the state, and until when and by whom where somebody did something.
func stateText(f *finding.Finding) string {
	text := string(f.State)
	if f.State == finding.Muted {
		text += " until " + minute(f.MutedUntil)
	}
	if f.StateBy != "" && f.State != finding.Open {
		text += " by " + f.StateBy
	}
	return text
}

// ownerText is whose a finding is.
func ownerText(f *finding.Finding) string {
	var all []string
	if f.Owner != "" {
		all = append(all, "owner "+f.Owner)
	}
	if f.Team != "" {
		all = append(all, "team "+f.Team)
	}
	return strings.Join(all, ", ")
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// capital makes the first letter of a text a capital.
func capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
