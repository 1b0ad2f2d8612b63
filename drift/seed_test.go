package drift

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
)

func mustCompile(t testing.TB, schema string) *Schema {
	t.Helper()
	s, err := CompileSchema([]byte(schema), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	orderV1 = `{"type":"object","properties":{"id":{"type":"string"},"amount":{"type":"number"}},"required":["id","amount"]}`
	orderV2 = `{"type":"object","properties":{"id":{"type":"string"},"quantity":{"type":"integer","default":0},"unit":{"type":"string","enum":["kg","t"]}},"required":["id"]}`
)

func orderVersions(t testing.TB) *Versions {
	return &Versions{
		Active: Version{Name: "v2", Schema: mustCompile(t, orderV2)},
		Legacy: []Version{{Name: "v1", Schema: mustCompile(t, orderV1)}},
	}
}

func TestClassifyPutsEachCallInItsClass(t *testing.T) {
	tests := []struct {
		name, claimed, args string
		want                Verdict
	}{
		{"an old call that would run with the default", "", `{"id":"x","amount":5}`, Verdict{
			Class: events.DriftSilentDefault, Version: "v1", Unknown: []string{"amount"}, Defaulted: []string{"quantity"}, Renamed: []string{"amount"},
		}},
		{"a call that only the active version fits", "", `{"id":"x","quantity":5}`, Verdict{Class: events.DriftCurrent, Version: "v2"}},
		{"a claimed old version that the agent serves", "v1", `{"id":"x","amount":5}`, Verdict{
			Class: events.DriftOldVersion, Version: "v1", Claimed: "v1", Claim: ClaimFits, Unknown: []string{"amount"},
		}},
		{"a claim that the arguments deny", "v2", `{"id":"x","amount":5}`, Verdict{
			Class: events.DriftSilentDefault, Version: "v2", Claimed: "v2", Claim: ClaimDisagrees, Fits: "v1", Unknown: []string{"amount"},
			Defaulted: []string{"quantity"}, Renamed: []string{"amount"},
		}},
		{"a type that is wrong", "", `{"id":"x","quantity":"5"}`, Verdict{
			Class: events.DriftValidationError, Version: "v2", Errors: []events.ValidationError{{Path: "/quantity", Keyword: "type", Message: "want integer, got string"}},
		}},
		{"a required name left out", "", `{"quantity":1}`, Verdict{
			Class: events.DriftValidationError, Version: "v2", Errors: []events.ValidationError{{Path: "/id", Keyword: "required", Message: "is required"}},
		}},
		{"an enum value that is gone", "", `{"id":"x","quantity":1,"unit":"lb"}`, Verdict{
			Class: events.DriftValidationError, Version: "v2", Errors: []events.ValidationError{{Path: "/unit", Keyword: "enum", Message: `want one of "kg", "t"`}},
		}},
		{"a name that no version knows", "", `{"id":"x","quantity":1,"colour":"red"}`, Verdict{
			Class: events.DriftUnknownArgument, Version: "v2", Unknown: []string{"colour"},
		}},
		{"arguments that are no JSON", "", `{"id":`, Verdict{
			Class: events.DriftValidationError, Errors: []events.ValidationError{{Keyword: "json", Message: "want a JSON object"}},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Active = "v2"
			got := Classify(orderVersions(t), Call{Version: tt.claimed, Arguments: []byte(tt.args)})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
