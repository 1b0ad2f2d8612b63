package activation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

func newIDs() *IDs {
	s := DefaultIDSettings()
	s.IncludeValues = true
	return NewIDs(events.Digester{}, s)
}

// flagged returns the values that were called made up.
func flagged(t *IDs, args string) string {
	var all []string
	for _, m := range t.Check([]byte(args)) {
		all = append(all, m.Value)
	}
	return strings.Join(all, " ")
}

func TestIDsFindsWhatAppearedNowhereBefore(t *testing.T) {
	const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	tests := []struct{ name, seen, result, args, want string }{
		{"a prefix and a number", "", "", `{"payment_id":"credit_card_5634230"}`, "credit_card_5634230"},
		{"another prefix for a number that was seen", "", `{"payment_id":"gift_card_5634230"}`, `{"payment_id":"credit_card_5634230"}`, "credit_card_5634230"},
		{"an id of a result", "", `{"payment_id":"credit_card_5634230"}`, `{"payment_id":"credit_card_5634230"}`, ""},
		{"an id of a result in a text", "", `paid with credit_card_5634230.`, `{"payment_id":"credit_card_5634230"}`, ""},
		{"an id of a user in other words", "my user id is Mia Li 3668", "", `{"user_id":"mia_li_3668"}`, ""},
		{"an id in another case", "the booking zfa04y", "", `{"reservation_id":"ZFA04Y"}`, ""},
		{"an id inside a longer name", "branch PROJ-123-fix-login", "", `{"issue_key":"PROJ-123"}`, ""},
		{"a number inside a longer name", "", `{"id":"gift_card_5634230"}`, `{"payment_ids":[5634230]}`, ""},
		{"an id escaped in JSON inside JSON", `"text\nZFA04Y\n"`, "", `{"reservation_id":"ZFA04Y"}`, ""},
		{"a uuid", "", "", `{"parent":"` + uuid + `"}`, uuid},
		{"a uuid that was seen", "node " + uuid, "", `{"parent":"` + uuid + `"}`, ""},
		{"a uuid without dashes that was seen", strings.ReplaceAll(uuid, "-", ""), "", `{"parent":"` + uuid + `"}`, ""},
		{"a uuid that the caller is to make up", "", "", `{"idempotency_key":"` + uuid + `"}`, ""},
		{"a shape learned from results", "", `[{"id":"AB12CD"},{"id":"XY99ZZ"}]`, `{"id":"QQ11QQ"}`, "QQ11QQ"},
		{"a shape seen once only", "", `[{"id":"AB12CD"}]`, `{"id":"QQ11QQ"}`, ""},
		{"a number of six digits", "", "", `{"user_id":123456}`, "123456"},
		{"a short number", "", "", `{"issue_number":42}`, ""},
		{"an amount", "", "", `{"amount":1234567}`, ""},
		{"a date", "", "", `{"date_id":"2024-05-15","id":"20240515"}`, ""},
		{"a phone number", "", "", `{"phone_number":"5551234567"}`, ""},
		{"a word", "", "", `{"id":"economy"}`, ""},
		{"an airport", "", "", `{"origin_id":"SFO"}`, ""},
		{"a text", "", "", `{"id":"see ticket_12345 please"}`, ""},
		{"a path", "", "", `{"id":"src/file_12345.go"}`, ""},
		{"a version", "", "", `{"id":"1.24.5"}`, ""},
		{"a name in an argument that is no id", "", "", `{"query":"credit_card_5634230"}`, ""},
		{"no JSON", "", "", `{"id":"card_12345"`, "card_12345"},
		{"nothing", "", "", ``, ""},
		{"a number that may be an amount", "", "", `{"number":1234567,"first_number":7654321}`, ""},
		{"a number like those of results", "", `[{"order_number":7654321},{"order_number":7654322}]`, `{"order_number":1234567}`, "1234567"},
		{"a date of digits", "", "", `{"id":202405,"ref_id":20240515,"key_id":202405151230}`, ""},
		{"words and a year", "", `[{"key":"plan-a-1234"},{"key":"plan-b-4321"}]`, `{"key":"taxes-for-2025"}`, ""},
		{"a name that everybody knows", "", "", `{"model_id":"boeing-737","key":"iso-8859","ref":"page_1000"}`, ""},
		{"the nil uuid", "", "", `{"parent":"00000000-0000-0000-0000-000000000000"}`, ""},
		{"an id of a schema's enum", `{"enum":["card_5634230"]}`, "", `{"id":"card_5634230"}`, ""},
		{"an id of a schema's default in JSON in JSON", `"{\"default\":\"card_5634230\"}"`, "", `{"id":"card_5634230"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ids := newIDs()
			ids.See(tt.seen)
			ids.Learn(tt.result)
			if got := flagged(ids, tt.args); got != tt.want {
				t.Errorf("flagged %q, want %q", got, tt.want)
			}
		})
	}
}

func TestIDsKeepsValuesBackUnlessToldOtherwise(t *testing.T) {
	got := NewIDs(events.Digester{}, IDSettings{}).Check([]byte(`{"a":{"payment_ids":["card_123456"]}}`))
	want := events.MadeUpID{Path: "/a/payment_ids/0", Digest: events.Digester{}.Short([]byte("card_123456"))}
	if len(got) != 1 || got[0] != want {
		t.Errorf("have %+v, want %+v", got, want)
	}
}

func TestIDsFallsSilentWhenItHasSeenTooMuch(t *testing.T) {
	s := DefaultIDSettings()
	s.MaxSeen = 100
	ids := NewIDs(events.Digester{}, s)
	for i := range 1000 {
		ids.See(fmt.Sprintf("id_%06d", i))
	}
	if len(ids.seen) > s.MaxSeen {
		t.Errorf("%d pieces kept", len(ids.seen))
	}
	if got := ids.Check([]byte(`{"id":"id_999999"}`)); got != nil {
		t.Errorf("flagged %+v", got)
	}
}

func BenchmarkIDsSee(b *testing.B) {
	text := strings.Repeat(`{"flight_number": "HAT123", "date": "2024-05-15", "price": 134, "payment_id": "gift_card_5634230"} `, 100)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	ids := newIDs()
	for b.Loop() {
		ids.See(text)
	}
}
