package events_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares have with a golden file, or writes it.
func golden(t *testing.T, path string, have []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, have, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(have)); diff != "" {
		t.Errorf("%s (-want +have):\n%s", path, diff)
	}
}

func TestEveryKindHasItsGoldenWireForm(t *testing.T) {
	for _, e := range samples() {
		t.Run(string(e.Kind()), func(t *testing.T) {
			if err := e.Validate(); err != nil {
				t.Fatal(err)
			}
			one, err := events.AppendEvent(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", "golden", string(e.Kind())+".json"), append(one, '\n'))
		})
	}
}

func TestAMessageOfManyEventsHasItsGoldenWireForm(t *testing.T) {
	for _, e := range samples() {
		var msg []byte
		for i := range 3 {
			e.ID = "01957f3a-1111-7abc-8def-00000000000" + string(rune('0'+i))
			var err error
			if msg, err = events.AppendEvent(msg, e); err != nil {
				t.Fatal(err)
			}
			msg = append(msg, '\n')
		}
		golden(t, filepath.Join("testdata", "golden", string(e.Kind())+"-many.ndjson"), msg)
	}
}

func TestGoldenFilesDecodeToWhatWasEncoded(t *testing.T) {
	for _, want := range samples() {
		line, err := os.ReadFile(filepath.Join("testdata", "golden", string(want.Kind())+".json"))
		if err != nil {
			t.Fatal(err)
		}
		line = bytes.TrimSpace(line)
		for name, decode := range map[string]func() (*events.Event, error){
			"Decode":     func() (*events.Event, error) { return events.Decode(line) },
			"DecodeKind": func() (*events.Event, error) { return events.DecodeKind(want.Kind(), line) },
		} {
			have, err := decode()
			if err != nil {
				t.Errorf("%s %s: %v", name, want.Kind(), err)
				continue
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("%s %s (-want +have):\n%s", name, want.Kind(), diff)
			}
		}
	}
}

func TestLinesOfAMessageAreItsEvents(t *testing.T) {
	msg, err := os.ReadFile(filepath.Join("testdata", "golden", "tool_call-many.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, line := range events.Lines(append([]byte("\r\n \n"), msg...)) {
		if i != n {
			t.Errorf("line %d has number %d", n, i)
		}
		if _, err := events.Decode(line); err != nil {
			t.Errorf("line %d: %v", i, err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("have %d lines, want 3", n)
	}
	for range events.Lines(msg) {
		break // leaving early is fine
	}
}

func TestPublishedSchemasAreTheEmbeddedOnes(t *testing.T) {
	embedded, err := filepath.Glob(filepath.Join("schemas", "*.json"))
	if err != nil || len(embedded) != len(events.Kinds())+2 {
		t.Fatalf("have %v, %v", embedded, err)
	}
	for _, path := range embedded {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("..", "docs", path), b)
	}
	published, err := filepath.Glob(filepath.Join("..", "docs", "schemas", "*.json"))
	if err != nil || len(published) != len(embedded) {
		t.Errorf("docs/schemas has %d files, want %d (%v)", len(published), len(embedded), err)
	}
}
