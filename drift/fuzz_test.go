package drift

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

func FuzzCompile(f *testing.F) {
	for _, h := range hostile() {
		if len(h[0]) < 4096 {
			f.Add([]byte(h[0]))
		}
	}
	f.Add([]byte(orderV1))
	f.Add([]byte(`{"type":"object","properties":{"a":{"pattern":"^a{1,3}$","default":0}},"if":{},"then":{"required":["a"]}}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		s, err := CompileSchema(schema, Limits{})
		if err != nil {
			return
		}
		for _, args := range []string{`{}`, `{"a":{"a":[1,"x",null]},"id":"x"}`, `[]`, `null`} {
			checkVerdict(t, s.Classify([]byte(args)))
		}
	})
}

func FuzzClassify(f *testing.F) {
	v := orderVersions(f)
	for _, args := range []string{`{"id":"x","amount":5}`, `{"id":"x","quantity":1}`, `{"schema_version":"v1"}`, `{`, ``, `[1e999]`} {
		f.Add("", []byte(args))
		f.Add("v1", []byte(args))
	}
	f.Fuzz(func(t *testing.T, claimed string, args []byte) {
		got := Classify(v, Call{Version: claimed, Arguments: args})
		checkVerdict(t, got)
		again := Classify(v, Call{Version: claimed, Arguments: args})
		if got.Class != again.Class || len(got.Errors) != len(again.Errors) || len(got.Unknown) != len(again.Unknown) {
			t.Errorf("first %+v, then %+v", got, again)
		}
	})
}

// checkVerdict holds whatever the input was.
func checkVerdict(t *testing.T, v Verdict) {
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
		shape := Shape(args)
		if len(shape) > maxShape {
			t.Errorf("%d values", len(shape))
		}
		for _, a := range shape {
			if !jsontext.Pointer(a.Path).IsValid() {
				t.Errorf("path %q", a.Path)
			}
		}
	})
}
