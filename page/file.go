package page

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/panels"
)

// FileConfig says what goes into one file.
type FileConfig struct {
	// Scope is what all views are narrowed to.
	Scope panels.Scope
	// Conversations is how many of the conversations that panels lead to are shown; others are named without a link.
	Conversations int
	// About is a sentence that says what was looked at.
	About, Version string
	// Runbooks has a file NAME.md for each runbook; nil for none.
	Runbooks fs.FS
	// Parallel is how many queries run at once.
	Parallel int
	Log      *slog.Logger
}

// DefaultFileConfig shows up to 12 conversations.
func DefaultFileConfig() FileConfig {
	return FileConfig{Conversations: 12, Parallel: 4, Log: slog.New(slog.DiscardHandler)}
}

// filePage is one file.
type filePage struct {
	frame
	About    string
	From, To time.Time
	Views    []fileView
	Findings []fileFinding
	Runbooks []fileRunbook
}

type fileView struct {
	ID, Title, Question string
	Sections            []section
}

type fileFinding struct {
	ID   string
	Data findingData
}

type fileRunbook struct {
	ID, Title string
	Blocks    []block
}

// WriteFile writes all views, findings and runbooks that they lead to as one file that needs nothing beside itself: styles, script and charts
// are in it, and it may load and run nothing else.
func WriteFile(ctx context.Context, w io.Writer, cfg FileConfig, from Sources) error {
	if err := from.validate(); err != nil {
		return err
	}
	if err := cfg.Scope.Validate(); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	t, err := parse()
	if err != nil {
		return err
	}
	f := &filing{cfg: cfg, from: from, to: &inFile{runbooks: runbookNames(cfg.Runbooks), limit: cfg.Conversations}}
	p, err := f.page(ctx)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := t.ExecuteTemplate(&body, "file", p); err != nil {
		return fmt.Errorf("render file: %w", err)
	}
	if _, err := w.Write(whole(body.Bytes())); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// whole puts what a body needs around it.
func whole(body []byte) []byte {
	style := string(asset("uplot.css")) + "\n" + string(asset("page.css"))
	script := string(asset("theme.js")) + "\n" + string(asset("uplot.js")) + "\n" + string(asset("page.js"))
	policy := "default-src 'none'; script-src " + hashOf(script) + "; style-src " + hashOf(style) + "; img-src data:; base-uri 'none'; form-action 'none'"
	var b bytes.Buffer
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	b.WriteString("<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy + "\">\n<meta name=\"referrer\" content=\"no-referrer\">\n")
	b.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n")
	b.WriteString("<title>Tooltrail</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>" + style + "</style>\n</head>\n<body data-file>\n")
	b.Write(body)
	b.WriteString("<!-- The chart library is uPlot 1.6.32.\n" + string(asset("uplot.LICENSE")) + "-->\n<script>" + script + "</script>\n</body>\n</html>\n")
	return b.Bytes()
}

// hashOf is how a content security policy names a script or style.
func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// filing makes a file.
type filing struct {
	cfg  FileConfig
	from Sources
	to   *inFile
}

func (f *filing) page(ctx context.Context) (filePage, error) {
	p := filePage{
		frame: frame{Title: "Tooltrail", Version: f.cfg.Version, File: true}, About: clean(f.cfg.About, maxShown), From: f.cfg.Scope.From, To: f.cfg.Scope.To,
	}
	all, err := f.from.Findings.Find(ctx, Filter{Severity: finding.Info, Limit: maxFindings})
	if err != nil {
		return p, fmt.Errorf("read findings: %w", err)
	}
	f.to.fingerprints = map[string]bool{}
	for i := range all {
		f.to.fingerprints[all[i].Fingerprint] = true
	}
	for _, v := range panels.Views() {
		if v.ID != panels.Conversation {
			p.Views = append(p.Views, f.view(ctx, v, v.ID, f.cfg.Scope))
			p.Nav = append(p.Nav, navItem{Title: v.Title, Href: "#" + v.ID})
		}
	}
	if len(all) > 0 {
		p.Views = append(p.Views, f.findings(all))
		p.Nav = append(p.Nav, navItem{Title: "Findings", Href: "#findings"})
	}
	if p.Findings, err = f.each(ctx, all); err != nil {
		return p, err
	}
	p.Views = append(p.Views, f.conversations(ctx)...)
	p.Runbooks = f.runbooks()
	return p, ctx.Err()
}

// view draws a view under an id.
func (f *filing) view(ctx context.Context, v panels.View, id string, scope panels.Scope) fileView {
	d := &drawing{from: f.from.Database, to: f.to, view: v, asked: asked{scope: scope}, parallel: 1, log: f.cfg.Log}
	out := fileView{ID: id, Title: v.Title, Question: v.Question, Sections: d.sections(ctx)}
	if id != v.ID {
		for i := range out.Sections {
			for _, p := range out.Sections[i].Panels {
				p.ID += "-" + id
			}
		}
		out.Question = "What happened in " + clean(scope.Conversation, foldFrom) + ", in order?"
	}
	return out
}

// findings draws the list of findings.
func (f *filing) findings(all []finding.Finding) fileView {
	p := &panel{ID: "all_findings", Title: "All findings", Width: 12, Kind: panels.Table, Description: "The worst first.", Table: findingTable(all, f.to, url.Values{})}
	return fileView{
		ID: "findings", Title: "Findings", Question: "What has been found, and what is to be done?", Sections: []section{{ID: "findings-list", Panels: []*panel{p}}},
	}
}

func (f *filing) each(ctx context.Context, all []finding.Finding) ([]fileFinding, error) {
	var out []fileFinding
	for i := range all {
		history, err := f.from.Findings.History(ctx, all[i].Fingerprint)
		if err != nil {
			return nil, fmt.Errorf("read history of finding: %w", err)
		}
		out = append(out, fileFinding{"finding-" + all[i].Fingerprint, newFindingData(&all[i], history, f.to)})
	}
	return out, nil
}

// conversations draws those that panels lead to.
func (f *filing) conversations(ctx context.Context) []fileView {
	v, _ := panels.Find(panels.Conversation) // it is one of the views
	names := slices.Clone(f.to.conversations)
	var all []fileView
	for _, name := range names {
		scope := f.cfg.Scope
		scope.Conversation = name
		all = append(all, f.view(ctx, v, conversationID(name), scope))
	}
	return all
}

// runbooks reads those that findings lead to.
func (f *filing) runbooks() []fileRunbook {
	var all []fileRunbook
	for _, name := range f.to.asked {
		raw, err := fs.ReadFile(f.cfg.Runbooks, name+".md")
		if err != nil {
			f.cfg.Log.Error("runbook was not read", slog.String("runbook", name), slog.Any("error", err))
			continue
		}
		all = append(all, fileRunbook{"runbook-" + name, name, readBlocks(string(raw))})
	}
	return all
}

// inFile are addresses within one file. It remembers which conversations and runbooks links lead to. One goroutine uses it at a time.
type inFile struct {
	runbooks, fingerprints map[string]bool
	conversations, asked   []string
	limit                  int
}

func (t *inFile) view(v panels.View, a asked) string {
	if v.ID == panels.Conversation {
		return t.conversation(a.scope.Conversation)
	}
	q := url.Values{}
	for _, variable := range v.Variables {
		if value, _ := a.scope.Get(variable.Name); value != "" {
			q.Set(variable.Name, value)
		}
	}
	return address("#"+v.ID, q)
}

// conversation leads to one that is shown, or has room.
func (t *inFile) conversation(name string) string {
	if !slices.Contains(t.conversations, name) {
		if len(t.conversations) >= t.limit {
			return ""
		}
		t.conversations = append(t.conversations, name)
	}
	return "#" + conversationID(name)
}

func conversationID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("conversation-%x", sum[:8])
}

func (t *inFile) finding(fingerprint string) string {
	if !t.fingerprints[fingerprint] {
		return ""
	}
	return "#finding-" + fingerprint
}

func (t *inFile) findings(url.Values) string { return "" }

func (t *inFile) runbook(name string) string {
	if !t.runbooks[name] {
		return ""
	}
	if !slices.Contains(t.asked, name) {
		t.asked = append(t.asked, name)
	}
	return "#runbook-" + name
}

func (t *inFile) sorted(panels.View, asked, sorting) string { return "" }
