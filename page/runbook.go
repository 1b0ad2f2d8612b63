package page

import (
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/panels"
)

// runbookPage is a runbook with the open findings that it is for.
type runbookPage struct {
	frame
	Blocks []block
	Table  *table
	// Known says that findings can lead here; other runbooks are for the parts of tooltrail.
	Known bool
}

// runbookList is all runbooks.
type runbookList struct {
	frame
	Items []runbookItem
}

// runbookItem is a runbook with its severity and the first sentence of what it means.
type runbookItem struct {
	navItem
	Severity, Means string
}

// gist reads the severity and the first sentence of the first section of a runbook.
func gist(raw string) (severity, means string) {
	_, rest, _ := strings.Cut(raw, "Severity: ")
	severity, rest, _ = strings.Cut(rest, ".")
	if _, rest, found := strings.Cut(rest, "## What it means\n\n"); found {
		line, _, _ := strings.Cut(rest, "\n")
		sentence, _, cut := strings.Cut(line, ". ")
		if means = sentence; cut {
			means += "."
		}
	}
	return severity, clean(strings.NewReplacer("`", "", "**", "").Replace(means), maxShown)
}

func (s *Server) showRunbooks(w http.ResponseWriter, _ *http.Request) {
	p := runbookList{frame: s.newFrame("Runbooks", "", asked{last: defaultSpan})}
	for _, name := range slices.Sorted(maps.Keys(s.to.runbooks)) {
		raw, _ := fs.ReadFile(s.cfg.Runbooks, name+".md") // its name was found there
		severity, means := gist(string(raw))
		p.Items = append(p.Items, runbookItem{navItem{Title: name, Href: s.to.runbook(name)}, severity, means})
	}
	s.render(w, http.StatusOK, "runbooks.html", p)
}

func (s *Server) showRunbook(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if !s.to.runbooks[name] {
		s.say(w, http.StatusNotFound, "Not found", "There is no such runbook.")
		return
	}
	raw, err := fs.ReadFile(s.cfg.Runbooks, name+".md")
	if err != nil {
		s.say(w, http.StatusNotFound, "Not found", "There is no such runbook.")
		return
	}
	p := runbookPage{frame: s.newFrame(name, "", asked{last: defaultSpan}), Blocks: readBlocks(string(raw))}
	ctx, cancel := s.within(r)
	defer cancel()
	all, err := s.from.Findings.Find(ctx, Filter{State: finding.Open, Severity: finding.Info, Limit: maxFindings})
	if err != nil {
		s.cfg.Log.Error("findings were not read", slog.Any("error", err))
	}
	of := slices.DeleteFunc(all, func(f finding.Finding) bool { return panels.Runbook(f.Rule, string(f.Severity)) != name })
	if len(of) > 0 {
		p.Table = runbookTable(of, s.to)
	}
	s.render(w, http.StatusOK, "runbook_page.html", p)
}

// runbookTable lists findings with the tool first, each tool leading to where it is seen.
func runbookTable(all []finding.Finding, to addresses) *table {
	t := &table{ID: "open", Caption: "Open findings that it is for"}
	for _, title := range []string{"Severity", "Tool or subject", "What is the case", "What to do", "Began"} {
		t.Headers = append(t.Headers, header{Name: slug(title), Title: title, Sort: "none"})
	}
	for i := range all {
		f := &all[i]
		subject := textCell(subjectOf(f), panels.Text)
		if links := linksOf(f, to); len(links) > 0 {
			subject.Href, subject.Leads = links[0].Href, links[0].Title
		}
		title := textCell(f.Title, panels.Text)
		title.Text, title.Rest = firstRunes(title.Value, foldFrom*2), ""
		title.Href, title.Leads = to.finding(f.Fingerprint), "This finding and what to do with it"
		t.Rows = append(t.Rows, []cell{
			textCell(string(f.Severity), panels.Severity), subject, title, textCell(f.Action, panels.Text), timeCell(f.Began),
		})
	}
	return t
}

// subjectOf names what a finding is about.
func subjectOf(f *finding.Finding) string {
	s := f.Subject
	name := strings.Trim(s.Server+"/"+s.Tool, "/")
	for _, part := range []string{s.Model, s.Agent, s.Conversation, s.Release} {
		if part != "" {
			name += " " + part
		}
	}
	if name == "" {
		name = f.Detector + "/" + f.Rule
	}
	return strings.TrimSpace(name)
}

// block is a part of a runbook.
type block struct {
	// Kind is heading, paragraph, item or code.
	Kind  string
	Text  string
	Parts []inline
}

// inline is a piece of a line.
type inline struct {
	Text         string
	Code, Strong bool
}

var (
	ordered = regexp.MustCompile(`^\d+\. `)
	// marked finds `code`, **strong** and [links](to).
	marked = regexp.MustCompile("`[^`]+`|\\*\\*[^*]+\\*\\*|\\[[^\\]]+\\]\\([^)]+\\)")
)

// readBlocks reads the little of Markdown that runbooks are written in.
func readBlocks(text string) []block {
	var all []block
	code, open := "", false
	for _, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			if open {
				all = append(all, block{Kind: "code", Text: strings.TrimSuffix(code, "\n")})
			}
			code, open = "", !open
		case open:
			code += strings.TrimPrefix(line, "   ") + "\n"
		case strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "## "):
			all = append(all, block{Kind: "heading", Text: line[3:]})
		case trimmed == "":
			all = append(all, block{})
		case ordered.MatchString(trimmed) || strings.HasPrefix(trimmed, "- "):
			all = append(all, block{Kind: "item", Text: strings.TrimPrefix(trimmed, "- ")})
		default:
			all = continued(all, trimmed)
		}
	}
	all = slices.DeleteFunc(all, func(b block) bool { return b.Kind == "" })
	for i := range all {
		all[i].Parts = readInline(all[i].Text)
	}
	return all
}

// continued adds a line to the paragraph or item before it, or begins a paragraph.
func continued(all []block, line string) []block {
	if n := len(all); n > 0 && (all[n-1].Kind == "paragraph" || all[n-1].Kind == "item") {
		all[n-1].Text += " " + line
		return all
	}
	return append(all, block{Kind: "paragraph", Text: line})
}

func readInline(text string) []inline {
	var all []inline
	at := 0
	for _, m := range marked.FindAllStringIndex(text, -1) {
		all = append(all, inline{Text: text[at:m[0]]})
		piece := text[m[0]:m[1]]
		switch piece[0] {
		case '`':
			all = append(all, inline{Text: strings.Trim(piece, "`"), Code: true})
		case '*':
			all = append(all, inline{Text: strings.Trim(piece, "*"), Strong: true})
		default:
			name, _, _ := strings.Cut(piece[1:], "]")
			all = append(all, inline{Text: name})
		}
		at = m[1]
	}
	return append(all, inline{Text: text[at:]})
}
