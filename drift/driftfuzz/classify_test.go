package driftfuzz_test

import (
	"strconv"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

const (
	orderV1 = `{"type":"object","properties":{"id":{"type":"string"},"amount":{"type":"number"}},"required":["id","amount"]}`
	orderV2 = `{"type":"object","properties":{"id":{"type":"string"},"quantity":{"type":"integer","default":0},"unit":{"enum":["kg","t"]}},"required":["id"]}`
)

func FuzzClassify(f *testing.F) {
	for _, args := range append(hostileArguments(), `{"id":"x","amount":5}`, `{"id":"x","quantity":1}`, `{"schema_version":"v1"}`) {
		f.Add("", []byte(orderV1), []byte(orderV2), []byte(args))
		f.Add("v1", []byte(orderV1), []byte(orderV2), []byte(args))
	}
	all := hostileArguments()
	for i, p := range hostileSchemas() {
		f.Add("", []byte(p[0]), []byte(p[1]), []byte(all[i%len(all)]))
	}
	for _, p := range shortPaths() {
		f.Add("", []byte(orderV1), []byte(p[0]), []byte(p[1]))
		f.Add("v2", []byte(p[0]), []byte(orderV2), []byte(p[1]))
	}
	f.Fuzz(func(t *testing.T, claimed string, legacy, active, args []byte) {
		now, err := drift.CompileSchema(active, drift.Limits{})
		if err != nil {
			return
		}
		v := &drift.Versions{Active: drift.Version{Name: "v2", Schema: now}}
		if then, err := drift.CompileSchema(legacy, drift.Limits{}); err == nil {
			v.Legacy = []drift.Version{{Name: "v1", Schema: then}}
			for i := range drift.MaxVersions - 2 {
				v.Legacy = append(v.Legacy, drift.Version{Name: "w" + strconv.Itoa(i), Schema: then})
			}
			v.Retired = v.Legacy[:1:1]
		}
		var got drift.Verdict
		within(t, "classify", func() { got = drift.Classify(v, drift.Call{Version: claimed, Arguments: args}) })
		checkVerdict(t, got)
		again := drift.Classify(v, drift.Call{Version: claimed, Arguments: args})
		if got.Class != again.Class || len(got.Errors) != len(again.Errors) || len(got.Unknown) != len(again.Unknown) {
			t.Errorf("first %+v, then %+v", got, again)
		}
	})
}

// checkVerdict holds whatever the input was.
func checkVerdict(t *testing.T, v drift.Verdict) {
	t.Helper()
	if v.Class == "" && v.Err == nil {
		t.Errorf("no class and no reason: %+v", v)
	}
	if !v.Class.Valid() {
		t.Errorf("class %q", v.Class)
	}
	if v.Class == events.DriftCurrent && (len(v.Errors) > 0 || len(v.Unknown) > 0 || len(v.Defaulted) > 0) {
		t.Errorf("current with faults: %+v", v)
	}
	if (v.Class == events.DriftSilentDefault) != (len(v.Defaulted) > 0) {
		t.Errorf("silent default: %+v", v)
	}
}

func FuzzShape(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[{"c":null}],"d/e":1.5}`))
	f.Add([]byte(`{"a":{"a":{"a":`))
	f.Fuzz(func(t *testing.T, args []byte) {
		var shape []events.Argument
		within(t, "shape", func() { shape = drift.Shape(args) })
		if len(shape) > 512 {
			t.Errorf("%d values", len(shape))
		}
		for _, a := range shape {
			if !jsontext.Pointer(a.Path).IsValid() {
				t.Errorf("path %q", a.Path)
			}
		}
	})
}
