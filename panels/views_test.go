package panels_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/panels"
)

func TestViewsAreSixWithTheirPanels(t *testing.T) {
	var ids []string
	seen := map[string]bool{}
	for _, v := range panels.Views() {
		ids = append(ids, v.ID)
		if found, ok := panels.Find(v.ID); !ok || found.Title != v.Title || v.Question == "" {
			t.Errorf("view %s", v.ID)
		}
		for _, p := range v.Panels {
			if seen[p.ID] {
				t.Errorf("two panels are called %s", p.ID)
			}
			seen[p.ID] = true
			checkPanel(t, v, p)
		}
	}
	want := []string{panels.Overview, panels.Drift, panels.Prefix, panels.Activation, panels.Conversation, panels.Pipeline}
	if !slices.Equal(ids, want) {
		t.Errorf("views %v", ids)
	}
	if _, ok := panels.Find("nothing"); ok {
		t.Error("a view that is none")
	}
}

var limited = regexp.MustCompile(`\nLIMIT \d+`)

func checkPanel(t *testing.T, v panels.View, p panels.Panel) {
	t.Helper()
	if p.Title == "" || p.Description == "" || p.Empty == "" || len(p.Columns) == 0 || !strings.HasPrefix(p.ID, v.ID+"_") {
		t.Errorf("%s lacks something", p.ID)
	}
	if p.Width < 1 || p.Width > 12 || p.Height < 3 {
		t.Errorf("%s is %d by %d", p.ID, p.Width, p.Height)
	}
	few := []string{"prefix_verdicts", "pipeline_kinds"}
	if p.Kind == panels.Table && !limited.MatchString(p.SQL) && !slices.Contains(few, p.ID) {
		t.Errorf("%s has no limit", p.ID)
	}
	if strings.ContainsAny(p.SQL, "{}") && strings.Contains(regexp.MustCompile(`\$\{[a-z:]+\}`).ReplaceAllString(p.SQL, ""), "{") {
		t.Errorf("%s has something in braces left: %s", p.ID, p.SQL)
	}
	for line := range strings.Lines(p.SQL) {
		if strings.HasPrefix(line, "--") && strings.ContainsAny(line, "'$") {
			t.Errorf("%s has a comment that reads as a string or a macro: %s", p.ID, line)
		}
	}
	for _, c := range p.Columns {
		if c.Title == "" {
			t.Errorf("%s: column %s has no title", p.ID, c.Name)
		}
		checkLink(t, p, c)
	}
}

func checkLink(t *testing.T, p panels.Panel, c panels.Column) {
	t.Helper()
	if c.Link == nil {
		return
	}
	_, known := panels.Find(c.Link.View)
	if !known && c.Link.Runbook == "" && c.Link.ViewFrom == "" || c.Link.Title == "" {
		t.Errorf("%s: the link of %s leads nowhere", p.ID, c.Name)
	}
	for variable := range c.Link.Set {
		if _, ok := (panels.Scope{}).Get(variable); !ok {
			t.Errorf("%s: the link of %s sets %s", p.ID, c.Name, variable)
		}
	}
}

func TestThresholdsAreStrict(t *testing.T) {
	for _, c := range []struct {
		value float64
		want  panels.Level
	}{{0, panels.Good}, {0.05, panels.Good}, {0.0501, panels.Warn}, {0.2, panels.Warn}, {0.21, panels.Bad}} {
		if got := panels.LevelOf(column(t, "drift_ratio", "ratio").Thresholds, c.value); got != c.want {
			t.Errorf("%v is %s, want %s", c.value, got, c.want)
		}
	}
	if got := panels.LevelOf(column(t, "drift_retries", "multiple").Thresholds, 3); got != panels.Warn {
		t.Errorf("three times is %s", got)
	}
}

func column(t *testing.T, panel, name string) panels.Column {
	t.Helper()
	c, ok := find(t, panel).Column(name)
	if !ok {
		t.Fatalf("%s has no column %s", panel, name)
	}
	return c
}
