package driftfuzz_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

// orderDocument is a document with versions, a migration and a canary, as JSON.
func orderDocument(f testing.TB) []byte {
	d := drift.NewDocument(drift.Key{Server: "shop", Tool: "process_order"})
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for version, schema := range map[string]string{"v1": orderV1, "v2": orderV2} {
		def := &events.ToolDefinition{Server: "shop", ToolName: "process_order", SchemaVersion: version, Definition: []byte(`{"name":"process_order","inputSchema":` + schema + `}`)}
		if _, err := d.Register(def, "ann", at, drift.StateLegacy); err != nil {
			f.Fatal(err)
		}
	}
	e := drift.Edit{At: at, By: "ann"}
	_, err := d.Activate("v1", e)
	if err == nil {
		_, err = d.StartCanary("v2", 0, "k", e)
	}
	if err == nil {
		_, err = d.AddMigration(drift.Migration{From: "v1", To: "v2", Steps: []drift.Step{{Op: drift.OpRename, Path: "/amount", To: "/quantity"}}}, e)
	}
	if err != nil {
		f.Fatal(err)
	}
	raw, err := d.Encode()
	if err != nil {
		f.Fatal(err)
	}
	return raw
}

func FuzzDecodeDocument(f *testing.F) {
	whole := orderDocument(f)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	for _, p := range [][2]string{
		{`"state":"canary"`, `"state":"active"`}, {`"tool":`, `"later":{"a":[1]},"tool":`}, {`"op":"rename"`, `"op":"split"`}, {`"share":0.1`, `"share":1e999`},
		{`"path":"/amount"`, `"path":"/amount","if":1`}, {`"process_order"`, `"\ud800"`}, {`"input`, `"x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `,"input`},
	} {
		f.Add([]byte(strings.Replace(string(whole), p[0], p[1], 1)))
	}
	f.Add([]byte(`{"tool":"x","versions":null,"edit":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var d *drift.Document
		var err error
		within(t, "decode", func() { d, err = drift.DecodeDocument(raw) })
		if err != nil {
			if !errors.Is(err, drift.ErrDocument) {
				t.Errorf("error %v", err)
			}
			return
		}
		checkDocument(t, d)
	})
}

// checkDocument holds for whatever was decoded: it comes back the same, can be edited and can be judged by.
func checkDocument(t *testing.T, d *drift.Document) {
	t.Helper()
	raw, err := d.Encode()
	if err != nil {
		return // longer than it came: numbers and escapes are written out
	}
	again, err := drift.DecodeDocument(raw)
	if err != nil {
		t.Fatalf("%v in what was encoded", err)
	}
	if twice, err := again.Encode(); err != nil || !bytes.Equal(twice, raw) {
		t.Errorf("encoded again: %s, %v", twice, err)
	}
	e := drift.Edit{At: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), By: "ann"}
	for i := range d.Versions {
		_, _ = d.Clone().Activate(d.Versions[i].Version, e)
		_, _ = d.Clone().Retire(d.Versions[i].Version, e)
		c := d.Clone()
		if _, err := c.StartCanary(c.Versions[i].Version, 0, "", e); err == nil && c.Validate() != nil {
			t.Errorf("a canary made it wrong: %v", c.Validate())
		}
	}
	r := drift.NewRegistry()
	within(t, "put", func() { err = r.Put(d) })
	if versions, _ := r.For(d.Key(), "conversation"); versions == nil && err == nil {
		t.Error("put and not there")
	}
}
