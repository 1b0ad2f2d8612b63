package drift

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAVerdictTellsAModelWhatToDo(t *testing.T) {
	orders := versions(t, orderV2, orderV1)
	aliased := versions(t, `{"type":"object","properties":{"qty":{"type":"integer"}},"required":["qty"]}`)
	aliased.Renames = map[string]string{"count": "qty"}
	tests := []struct {
		name, claimed, args string
		versions            *Versions
		want                string
	}{
		{"current", "", `{"id":"x","quantity":1}`, orders, ""},
		{"an old version", "v1", `{"id":"x","amount":5}`, orders, `The arguments are of version v1, and the version to use is v2.`},
		{"a silent default", "", `{"id":"x","amount":5}`, orders, `The call would run with defaults in the place of what it gives: "amount" is not read any more, and "quantity", ` +
			`which took its place, is not given. Call the tool by the schema it has now (version v2).`},
		{"an invalid call", "", `{"quantity":"5"}`, orders, `The arguments do not fit the schema (version v2): /id (required: is required); ` +
			`/quantity (type: want integer, got string).`},
		{"an unknown name", "", `{"id":"x","quantity":1,"colour":"red"}`, orders, `The schema (version v2) does not know "colour", and does not read what is given there.`},
		{"a name that the owner renamed", "", `{"count":4}`, aliased, `The arguments do not fit the schema (version v1): /qty (required: is required). ` +
			`It does not know "count". "count" is called "qty" now.`},
		{"a claim that is wrong", "v2", `{"amount":5,"id":"x","quantity":1}`, orders, `The schema (version v2) does not know "amount", and does not read what is given there.`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Classify(tt.versions, Call{Version: tt.claimed, Arguments: []byte(tt.args)})
			if diff := cmp.Diff(tt.want, got.Text()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
