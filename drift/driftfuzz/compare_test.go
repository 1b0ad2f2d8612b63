package driftfuzz_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
)

func FuzzCompare(f *testing.F) {
	for _, p := range hostileSchemas() {
		f.Add([]byte(p[0]), []byte(p[1]))
		f.Add([]byte(p[1]), []byte(p[0]))
	}
	for _, p := range shortPaths() {
		f.Add([]byte(orderV1), []byte(p[0]))
		f.Add([]byte(p[0]), []byte(orderV2))
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		var c *drift.Comparison
		var err error
		within(t, "compare", func() { c, err = drift.CompareSchemas(before, after, drift.CompareOptions{}) })
		if err != nil {
			if !errors.Is(err, drift.ErrCompare) {
				t.Errorf("error %v", err)
			}
			return
		}
		if c.Incomplete && c.Class == drift.NonBreaking {
			t.Error("incomplete and called non-breaking")
		}
		checkChanges(t, c, before, after)
		if same, err := drift.CompareSchemas(before, before, drift.CompareOptions{}); err != nil || len(same.Changes) > 0 && !same.Incomplete {
			t.Errorf("compared with itself: %v, %v", same, err)
		}
	})
}

// checkChanges holds paths, witnesses and, where nothing breaks, the old schema's example against the new one.
func checkChanges(t *testing.T, c *drift.Comparison, before, after []byte) {
	old, now := compile(before), compile(after)
	for _, ch := range c.Changes {
		if !jsontext.Pointer(ch.Path).IsValid() {
			t.Errorf("path %q", ch.Path)
		}
		if w := ch.Witness; w != nil && (fits(old, w.Arguments) == "no" || len(w.Errors) > 0 && fits(now, w.Arguments) == "yes") {
			t.Errorf("%s %s: %s is no witness", ch.Kind, ch.Path, w.Arguments)
		}
	}
	example, err := old.Example()
	if err != nil {
		return
	}
	if fits(old, example) == "no" {
		t.Errorf("the example %s is not valid", example)
	}
	if c.Class == drift.NonBreaking && fits(now, example) == "no" {
		t.Errorf("called non-breaking, and %s is refused", example)
	}
}

func compile(raw []byte) *drift.Schema {
	s, _ := drift.CompileSchema(raw, drift.Limits{})
	return s
}

func fits(s *drift.Schema, args []byte) string {
	a, err := drift.ParseArguments(args, drift.Limits{})
	if err != nil {
		return "not judged"
	}
	switch invalid, err := s.Validate(a); {
	case err != nil:
		return "not judged"
	case len(invalid) > 0:
		return "no"
	}
	return "yes"
}

func FuzzReadReleases(f *testing.F) {
	f.Add([]byte(`{"release":"v1","tools":[{"name":"a","inputSchema":{"type":"object"}}]}` + "\n" + `{"release":"v2","tools":[{"name":"b"}]}`))
	f.Add([]byte(`[{"type":"function","function":{"name":"a"}}]`))
	f.Add([]byte(`{"type":"object","properties":{}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		within(t, "changelog", func() {
			releases, err := drift.ReadReleases(text)
			if err != nil {
				return
			}
			if log, err := drift.NewChangelog(releases, drift.ListOptions{}); err == nil {
				var b strings.Builder
				if err := log.Markdown(&b); err != nil {
					t.Error(err)
				}
			}
		})
	})
}
