package client

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"reflect"
	"regexp"
	stdstrings "strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// formatDoc is the page for agents in any language.
func formatDoc(t *testing.T) (text string, document *drift.Document, sw *drift.Switch) {
	t.Helper()
	raw, err := os.ReadFile("../docs/registry-format.md")
	if err != nil {
		t.Fatal(err)
	}
	text = string(raw)
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(text, -1)
	if len(blocks) != 2 {
		t.Fatalf("the page has %d examples", len(blocks))
	}
	if document, err = drift.DecodeDocument([]byte(blocks[0][1])); err != nil {
		t.Fatal(err)
	}
	if sw, err = drift.DecodeSwitch([]byte(blocks[1][1])); err != nil {
		t.Fatal(err)
	}
	if len(document.More) > 0 {
		t.Errorf("the example has members that nobody knows: %s", document.More)
	}
	return text, document, sw
}

func TestThePageOfTheFormatNamesEveryField(t *testing.T) {
	text, _, sw := formatDoc(t)
	for _, of := range []any{
		drift.Document{}, drift.VersionEntry{}, drift.Canary{}, drift.Edit{}, drift.Migration{}, drift.Step{}, drift.Switch{}, drift.Replaced{}, drift.DroppedVersion{},
	} {
		for i := range reflect.TypeOf(of).NumField() {
			f := reflect.TypeOf(of).Field(i)
			name, _, _ := stdstrings.Cut(f.Tag.Get("json"), ",")
			if name != "" && !regexp.MustCompile("`([a-z_\\[\\]]*\\.)?"+name+"`").MatchString(text) {
				t.Errorf("the page does not name %s of %T", name, of)
			}
		}
	}
	for _, code := range regexp.MustCompile("`(?:[a-z_\\[\\]]*\\.)?(probe_[a-z]+|alert[a-z_]+|[a-z]+_digest)`").FindAllStringSubmatch(text, -1) {
		if !stdstrings.Contains(fieldsOf(drift.Switch{}, drift.VersionEntry{}), " "+code[1]+" ") {
			t.Errorf("there is no field %s", code[1])
		}
	}
	if sw.State != drift.SwitchDisabled || sw.ProbeSeconds != 120 || len(sw.Errors) != 1 {
		t.Errorf("the example is %+v", sw)
	}
}

func fieldsOf(of ...any) string {
	text := " "
	for _, v := range of {
		for i := range reflect.TypeOf(v).NumField() {
			name, _, _ := stdstrings.Cut(reflect.TypeOf(v).Field(i).Tag.Get("json"), ",")
			text += name + " "
		}
	}
	return text
}

func TestTheTestVectorsOfTheFormatHold(t *testing.T) {
	text, doc, _ := formatDoc(t)
	vectors := regexp.MustCompile("\\| `([^`]+)` \\| `([0-9a-f]{16})` \\| ([0-9.]+) \\| (canary|baseline) \\|").FindAllStringSubmatch(text, -1)
	if len(vectors) != 4 {
		t.Fatalf("the page has %d vectors", len(vectors))
	}
	r := drift.NewRegistry()
	if err := r.Put(doc); err != nil {
		t.Fatal(err)
	}
	for _, v := range vectors {
		sum := sha256.Sum256([]byte(doc.Canary.HashKey + "/" + v[1]))
		_, cohort := r.For(doc.Key(), v[1])
		h := float64(binary.BigEndian.Uint64(sum[:8])) / math.Ldexp(1, 64)
		if have := fmt.Sprintf("%x %.6f %s", sum[:8], h, cohort); have != v[2]+" "+v[3]+" "+v[4] {
			t.Errorf("%s: have %s", v[1], have)
		}
	}
	keys := regexp.MustCompile("(?m)^\\| ((?:`[^`]+`|\\(empty\\))(?:, `[^`]+`)+) \\| `([^`]+)` \\|$").FindAllStringSubmatch(text, -1)
	for _, k := range keys {
		var names []string
		for _, n := range stdstrings.Split(k[1], ", ") {
			names = append(names, stdstrings.Trim(stdstrings.TrimPrefix(n, "(empty)"), "`"))
		}
		if have, err := stream.Key(names...); err != nil || have != k[2] {
			t.Errorf("%q: have %s, %v", names, have, err)
		}
	}
	if len(keys) != 3 {
		t.Errorf("the page has %d keys", len(keys))
	}
}

func TestTheMigrationOfTheFormatDoesWhatThePageSays(t *testing.T) {
	text, doc, _ := formatDoc(t)
	m := regexp.MustCompile("`(\\{\"amount[^`]+)` becomes `([^`]+)`").FindStringSubmatch(text)
	if m == nil {
		t.Fatal("the page has no example")
	}
	have, err := doc.Migrations[0].Apply(jsontext.Value(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	want := jsontext.Value(m[2])
	if err := want.Compact(); err != nil || string(have) != string(want) {
		t.Errorf("have %s, want %s, %v", have, want, err)
	}
	if raw, err := json.Marshal(doc.Migrations[0]); err != nil || len(raw) == 0 {
		t.Error(err)
	}
}
