package drift

import (
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

// A tool as servers have them: fourteen arguments, with nested objects, a list, enums and bounds.
const (
	realisticHead = `{"type":"object","properties":{
		"owner":{"type":"string","minLength":1,"description":"The account."},"repo":{"type":"string","minLength":1},
		"title":{"type":"string","maxLength":256},"body":{"type":"string","description":"Markdown."},
		"state":{"type":"string","enum":["open","closed","all"],"default":"open"},"labels":{"type":"array","items":{"type":"string"},"maxItems":50},
		"assignees":{"type":"array","items":{"type":"object","properties":{"login":{"type":"string"},"notify":{"type":"boolean","default":true}},"required":["login"]}},
		"milestone":{"anyOf":[{"type":"integer"},{"type":"null"}]},"due":{"type":"object","properties":{"on":{"type":"string","pattern":"^\\d{4}-\\d{2}-\\d{2}$"},"zone":{"type":"string"}},"required":["on"]},
		"page":{"type":"integer","minimum":1,"default":1},"draft":{"type":"boolean"},"reviewers":{"type":"array","items":{"type":"string"}},`
	realisticV1 = realisticHead + `"count":{"type":"integer","minimum":1,"maximum":100}},"required":["owner","repo","title"]}`
	realisticV2 = realisticHead + `"per_page":{"type":"integer","minimum":1,"maximum":100,"default":30},"sort":{"enum":["created","updated"]}},"required":["owner","repo","title"]}`
	realistic   = `{"owner":"octo","repo":"hello","title":"Say what the limits are","body":"It is not said how long a body may be, nor what becomes of a longer one.",` +
		`"labels":["docs","good first issue"],"assignees":[{"login":"ann"},{"login":"bob","notify":false}],"milestone":4,"due":{"on":"2026-04-01"},"draft":false`
)

func realisticRegistry(b *testing.B) *Registry {
	b.Helper()
	d := NewDocument(orderKey)
	mustRegister(b, d, definitionOf(realisticV1, "v1"), "")
	mustRegister(b, d, definitionOf(realisticV2, "v2"), "")
	if _, err := d.StartCanary("v1", 0.1, "k", ann); err != nil {
		b.Fatal(err)
	}
	if _, err := d.AbortCanary(ann); err != nil {
		b.Fatal(err)
	}
	if _, err := d.AddMigration(rename("v1", "v2", "count", "per_page"), ann); err != nil {
		b.Fatal(err)
	}
	r := NewRegistry()
	mustPut(b, r, d)
	return r
}

func BenchmarkClassifyRealistic(b *testing.B) {
	v := realisticRegistry(b).Versions("", "process_order")
	for _, bb := range []struct {
		name, claimed, args string
		want                events.DriftClass
	}{
		{"current, claimed", "v2", realistic + `,"per_page":10}`, events.DriftCurrent},
		{"current, recognised", "", realistic + `,"per_page":10}`, events.DriftCurrent},
		{"silent default", "", realistic + `,"count":10}`, events.DriftSilentDefault},
		{"validation error", "", realistic + `,"per_page":"10"}`, events.DriftValidationError},
	} {
		b.Run(bb.name, func(b *testing.B) {
			args := []byte(bb.args)
			b.ReportAllocs()
			for b.Loop() {
				if got := Classify(v, Call{Version: bb.claimed, Arguments: args}); got.Class != bb.want {
					b.Fatalf("class %s", got.Class)
				}
			}
		})
	}
}

func BenchmarkMigrate(b *testing.B) {
	v := realisticRegistry(b).Versions("", "process_order")
	args := []byte(realistic + `,"count":10}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := v.Migrate("v1", args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRegistryFor(b *testing.B) {
	r := realisticRegistry(b)
	b.Run("no canary", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.For(orderKey, "conv-7f3a")
		}
	})
	d := r.Document(orderKey).Clone()
	if _, err := d.StartCanary("v1", 0, "", ann); err != nil {
		b.Fatal(err)
	}
	mustPut(b, r, d)
	b.Run("canary", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r.For(orderKey, "conv-7f3a")
		}
	})
}

func BenchmarkRegistryPut(b *testing.B) {
	r := realisticRegistry(b)
	d := r.Document(orderKey)
	b.ReportAllocs()
	for b.Loop() {
		mustPut(b, r, d.Clone())
	}
}
