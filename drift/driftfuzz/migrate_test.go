package driftfuzz_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
)

func FuzzMigrate(f *testing.F) {
	many := `{"l":[` + strings.Repeat(`{"a":1},`, 2000) + `{}]}`
	for _, steps := range []string{
		`[{"op":"rename","path":"/amount","to":"/quantity"}]`, `[{"op":"move","path":"/a","to":"/b/c/d"},{"op":"move","path":"/b","to":"/a/b"}]`,
		`[{"op":"default","path":"/l/*/a","value":"` + strings.Repeat("x", 4000) + `"}]`, `[{"op":"map","path":"/a","values":{"1":[{}],"null":1}}]`,
		`[{"op":"drop","path":"/l/*/*"},{"op":"rename","path":"/*/0/~1","to":"/*/0/~0"}]`, `[{"op":"split","path":"/a"}]`,
	} {
		for _, args := range append(hostileArguments(), `{"id":"x","amount":5}`, `{"a":{"b":[1,null]},"b":{}}`, many) {
			f.Add([]byte(steps), []byte(args))
		}
	}
	active := compile([]byte(orderV2))
	f.Fuzz(func(t *testing.T, steps, args []byte) {
		m := drift.Migration{From: "v1", To: "v2"}
		if json.Unmarshal(steps, &m.Steps) != nil {
			return
		}
		before := string(args)
		var out jsontext.Value
		var err error
		within(t, "apply", func() { out, err = m.Apply(args) })
		if string(args) != before {
			t.Error("the arguments changed")
		}
		if err == nil && (!out.IsValid() || len(out) > len(args)*6+512<<10) {
			t.Errorf("%d bytes, valid %v", len(out), out.IsValid())
		}
		if err != nil && !errors.Is(err, drift.ErrMigration) {
			t.Errorf("error %v", err)
		}
		v := &drift.Versions{Active: drift.Version{Name: "v2", Schema: active}, Migrations: []drift.Migration{m}}
		done, err := v.Migrate("v1", args)
		if err == nil && active.Classify(done.Arguments).Class != events.DriftCurrent {
			t.Errorf("%s is not current", done.Arguments)
		}
	})
}
