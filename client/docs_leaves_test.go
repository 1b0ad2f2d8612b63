package client_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThePageOnWhatLeavesNamesEveryField(t *testing.T) {
	page, err := os.ReadFile("../docs/what-leaves-your-agent.md")
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	files, err := filepath.Glob("../docs/schemas/*.json")
	if err != nil {
		t.Fatal(err)
	}
	fields := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var whole, data object
		if err := json.Unmarshal(raw, &whole); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		switch inner := whole.Properties["data"]; {
		case filepath.Base(file) == "context.json":
			data = whole
		case len(inner) > 0:
			if err := json.Unmarshal(inner, &data); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
		}
		for name := range data.Properties {
			if fields++; !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("%s has %s, of which the page says nothing", file, name)
			}
		}
	}
	if fields < 80 {
		t.Errorf("only %d fields", fields)
	}
}
