package idfuzz

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIDsThatTheCallerMakesUpAreNotFlagged(t *testing.T) {
	const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	for _, tt := range []struct{ tool, args, want string }{
		{"", `{"key":"session_48213"}`, ""},
		{"redis_get", `{"key":"meeting-notes-1234"}`, ""},
		{"", `{"session":"` + uuid + `"}`, ""},
		{"", `{"run_id":"run-20481","session_id":"sess_48213","sessionKey":"s_48213"}`, ""},
		{"create_task", `{"id":"` + uuid + `"}`, ""},
		{"mcp__planner__createTask", `{"task":{"id":"` + uuid + `"}}`, ""},
		{"TaskCreate", `{"taskId":"task-48213"}`, ""},
		{"memory_set", `{"id":"memo_48213"}`, ""},
		{"kv.put", `{"uuid":"` + uuid + `"}`, ""},
		{"get_task", `{"id":"` + uuid + `"}`, uuid},
		{"", `{"id":"` + uuid + `"}`, uuid},
		{"create_task", `{"parent_id":"` + uuid + `"}`, uuid},
		{"create_order", `{"user_id":"user_48213"}`, "user_48213"},
		{"create_issue_comment", `{"issue_id":"iss_48213"}`, "iss_48213"},
		{"get_set", `{"id":"set_48213"}`, "set_48213"},
		{"update_task", `{"id":"task_48213"}`, "task_48213"},
		{"get_runs", `{"run_ids":["run-20481"]}`, "run-20481"},
	} {
		var got []string
		for _, m := range newIDs().CheckCall(tt.tool, []byte(tt.args)) {
			got = append(got, m.Value)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s %s: flagged %q", tt.tool, tt.args, s)
		}
	}
}

func TestWhatTheCallerMadeUpIsKnownFromThenOn(t *testing.T) {
	ids := newIDs()
	ids.CheckCall("memory_set", []byte(`{"key":"notes-48213"}`))
	if got := flagged(ids, `{"note_id":"notes-48213"}`); got != nil {
		t.Errorf("flagged %q", got)
	}
}

// expect holds what is flagged of ids against what is said before.
func expect(t *testing.T, text, ids, want string) {
	t.Helper()
	seen := newIDs()
	seen.Learn(`[{"id":"AB1C2D"},{"id":"XY9Z8W"}]`)
	seen.See(text)
	var got []string
	for id := range strings.FieldsSeq(ids) {
		if strings.Trim(id, "0123456789") != "" {
			id = fmt.Sprintf("%q", id)
		}
		got = append(got, flagged(seen, `{"order_id":`+id+`}`)...)
	}
	if s := strings.Join(got, " "); s != want {
		t.Errorf("%s: flagged %q, want %q", text, s, want)
	}
}

func TestNumbersOfARangeAndThoseBesideOneWereSeen(t *testing.T) {
	for _, tt := range []struct{ text, ids, want string }{
		{"orders 100041 to 100044", "100041 100042 100043 100044 100045", ""},
		{"orders 100041 to 100044", "100046 200042", "100046 200042"},
		{"orders #100041–#100044", "100042 100043", ""},
		{"orders 100041-100044", "100042 100043", ""},
		{"orders 100041 - 100044", "100042", ""},
		{"orders 100041..100044", "100042", ""},
		{"INV-10041 through INV-10044", "INV-10042 INV-10043", ""},
		{"INV-10041 up to 10044", "INV-10042", ""},
		{"zwischen 100041 und 100044", "100042 100043", ""},
		{"от 100041 до 100044", "100042 100043", ""},
		{"orders 100041 to 109044", "105042", "105042"},
		{"[100041,100051]", "100045", "100045"},
		{"orders 100041, 100051", "100045", "100045"},
		{`{"a":100041,"b":100051}`, "100045", "100045"},
		{"the next after INV-10041", "INV-10042", ""},
		{"the one before INV-10000", "INV-9999 INV-09999", ""},
		{"the next after INV-10041", "INV-10043", "INV-10043"},
		{"INV-10041", "CRED-10043", "CRED-10043"},
		{"the next after PROJ-0099", "PROJ-0100", ""},
	} {
		expect(t, tt.text, tt.ids, tt.want)
	}
}

func TestIDsInOtherSpacesDashesAndDigitsWereSeen(t *testing.T) {
	for _, tt := range []struct{ text, ids string }{
		{"order 563\u200942\u200930", "5634230"},
		{"order 563\u300042\u200730", "5634230"},
		{"order 5\u202f634\u202f230", "5634230"},
		{"order 123\u2013456\u201378", "12345678"},
		{"order 123\u2212456\u201178", "12345678"},
		{"order 563  42  30", "5634230"},
		{"order 1 - 2 - 3 - 4 - 5 - 6 - 7", "1234567"},
		{"order 123-456 78", "12345678"},
		{"order \u09EB\u09EC\u09E9\u09EA\u09E8\u09E9\u09E6", "5634230"},                             // Bengali
		{"order \u0E55\u0E56\u0E53\u0E54\u0E52\u0E53\u0E50", "5634230"},                             // Thai
		{"order \U0001D7D3\U0001D7D4\U0001D7D1\U0001D7D2\U0001D7D0\U0001D7D1\U0001D7CE", "5634230"}, // bold
		{`{"n":1.2345678e+07}`, "12345678"},
		{`{"n":1.2345678E7,"m":1.5e+06}`, "12345678 1500000"},
		{"card\u2014563\u20144230", "card_5634230"},
	} {
		expect(t, tt.text, tt.ids, "")
	}
}

func TestNumbersThatAreApartAreNotOneNumber(t *testing.T) {
	for _, tt := range []struct{ text, ids string }{
		{"order 563, 42, 30", "5634230"},
		{"order 563 and 42 and 30", "5634230"},
		{"order seven million and one", "7000001"}, // numbers in words are not understood
		{"1.2345678e-07 1.2345678e+99 e1.5e+06", "12345678"},
	} {
		expect(t, tt.text, tt.ids, tt.ids)
	}
}

func TestEveryNumberOfARangeWasSeen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		first := rapid.IntRange(310_001, 910_000).Draw(rt, "first")
		length := rapid.IntRange(1, 1000).Draw(rt, "length")
		at := first + rapid.IntRange(0, length).Draw(rt, "at")
		format := rapid.SampledFrom([]string{"%d to %d", "%d-%d", "#%d – #%d", "%d ... %d", "between %d and %d", "Q-%d bis Q-%d"}).Draw(rt, "format")
		ids := newIDs()
		ids.See(fmt.Sprintf("see "+format+", please", first, first+length))
		if got := flagged(ids, fmt.Sprintf(`{"order_id":%d,"a":[{"order_id":"Q-%d"}]}`, at, at)); got != nil {
			rt.Fatalf("flagged %q", got)
		}
	})
}
