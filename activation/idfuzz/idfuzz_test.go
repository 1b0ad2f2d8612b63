// Package idfuzz tests [activation.IDs] with made and random input. It is a package of its own because the tests of activation start
// the engine, which a fuzz test must not.
package idfuzz

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// newIDs returns a tracker that tells values.
func newIDs() *activation.IDs {
	s := activation.DefaultIDSettings()
	s.IncludeValues = true
	return activation.NewIDs(events.Digester{}, s)
}

// flagged returns the values that are called made up.
func flagged(ids *activation.IDs, args string) []string {
	var all []string
	for _, m := range ids.Check([]byte(args)) {
		all = append(all, m.Value)
	}
	return all
}

// anID draws an id of one of the shapes that services give out.
func anID() *rapid.Generator[string] {
	return rapid.StringMatching(
		`q[a-z]{2,8}(_[a-z]{2,8}){0,2}_[3-9][0-9]{4}|Q[A-Z]{2,5}-[3-9][0-9]{4}|[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-8[0-9A-F]{3}-[0-9A-F]{12}|[3-9][0-9]{6}|[3-9][0-9]{8}`)
}

// noise is text that holds no id: words, dates, amounts, airport codes, paths and versions.
func noise() *rapid.Generator[string] {
	return rapid.StringMatching(
		`[a-z]{1,14}|[A-Z]{3}|20[0-2][0-9]-(0[1-9]|1[0-2])-[0-2][1-8]|(19|20)[0-9]{2}|\$?[1-9][0-9]{0,4}(\.[0-9]{2})?|v?[0-9]\.[0-9]{1,2}\.[0-9]|` +
			`[a-z]{2,9}[_-](19|20)[0-9]{2}|report[_-]20[0-2][0-9](0[1-9]|1[0-2])|(usd|eur|page|top|iso|rfc)[_-][0-9]{2,5}|[a-z]{3,9}[-_][0-9]{1,3}|` +
			`(src|docs)/[a-z]{2,8}_[0-9]{4}\.go|[0-9]{1,2}:[0-5][0-9]`)
}

func TestWordsDatesCodesAndAmountsAreNeverMadeUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := noise().Draw(t, "value")
		name := rapid.SampledFrom([]string{"id", "order_id", "key", "flight_number", "reference", "userId", "items/0/ref"}).Draw(t, "name")
		args, _ := json.Marshal(map[string]string{name: value})
		if got := flagged(newIDs(), string(args)); got != nil {
			t.Fatalf("flagged %q", got)
		}
	})
}

func TestNumbersThatCountAreNeverMadeUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<50).Draw(t, "n")
		name := rapid.SampledFrom([]string{"number", "numbers", "amount", "total", "limit", "price", "phone_number", "year", "seconds"}).Draw(t, "name")
		if got := flagged(newIDs(), fmt.Sprintf(`{%q:%d}`, name, n)); got != nil {
			t.Fatalf("flagged %q", got)
		}
	})
}

func TestAnIDThatNothingSaidIsMadeUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := anID().Draw(t, "id")
		ids := newIDs()
		ids.See(strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,9}|[0-9]{1,2}`), 0, 20).Draw(t, "text"), "  "))
		ids.Learn(`[{"id":"1234567"},{"id":"7654321"},{"id":"123456789"},{"id":"987654321"}]`)
		if got := flagged(ids, `{"a":[{"order_id":"`+id+`"}]}`); len(got) != 1 || got[0] != id {
			t.Fatalf("flagged %q, want %s", got, id)
		}
	})
}

// wraps are the ways in which an id comes along: in prose, in other cases and separators, in JSON in JSON, in a URL, in HTML that
// Go's JSON escapes.
var wraps = []func(id string) string{
	func(id string) string { return "it is " + id + ", they said" },
	strings.ToUpper,
	strings.ToLower,
	func(id string) string { return strings.NewReplacer("_", " ", "-", " ").Replace(id) },
	func(id string) string { return strings.NewReplacer("_", "-", "-", "_").Replace(id) },
	func(id string) string { return strings.NewReplacer("_", "", "-", "").Replace(id) },
	func(id string) string { return `{"text":"{\"x\":\"\\n` + id + `\\n\"}"}` },
	func(id string) string { return `{"text":"\\\\n` + id + `\\\\n"}` },
	func(id string) string { b, _ := json.Marshal("<b>" + id + "</b>&" + id); return string(b) },
	func(id string) string { return "/items?q%3D" + id + "%26x=1" },
	func(id string) string { return "/items/" + strings.ReplaceAll(id, "-", "%2D") + "/edit" },
	func(id string) string { return strings.ReplaceAll(id, "-", `\u002d`) },
	func(id string) string { return "[" + id + "](https://a.example/" + id + ")" },
	func(id string) string { return "fix/" + id + "-and-more" },
}

func TestWhatWasSeenInAnyFormIsNeverMadeUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := anID().Draw(t, "id")
		text := rapid.SampledFrom(wraps).Draw(t, "wrap")(id)
		ids := newIDs()
		if rapid.Bool().Draw(t, "as result") {
			ids.Learn(text)
		} else {
			ids.See(text)
		}
		if got := flagged(ids, `{"order_id":"`+id+`"}`); got != nil {
			t.Fatalf("flagged %q though there was %s", got, text)
		}
	})
}

func TestNumbersWrittenInGroupsAndSpelledIDsWereSeen(t *testing.T) {
	for text, args := range map[string]string{
		"order 563 42 30 please": `{"order_id":5634230}`,
		"order 5,634,230.":       `{"order_id":5634230}`,
		"order 5634-230":         `{"order_id":5634230}`,
		"it is J G 7 F M M":      `{"id":"JG7FMM"}`,
	} {
		ids := newIDs()
		ids.Learn(`[{"id":"AB1C2D"},{"id":"XY9Z8W"}]`)
		ids.See(text)
		if got := flagged(ids, args); got != nil {
			t.Errorf("%s: flagged %q", text, got)
		}
	}
}

func TestWhatATrackerIsBlindToIsNeverMadeUp(t *testing.T) {
	ids := newIDs()
	ids.Blind()
	ids.See("anything_12345")
	ids.Learn(`{"id":"other_12345"}`)
	if got := flagged(ids, `{"id":"card_5634230"}`); got != nil {
		t.Errorf("flagged %q", got)
	}
}

func TestPlacesTellNoValues(t *testing.T) {
	const uuid = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	ids := newIDs()
	args := `{"carts":{"` + uuid + `":{"user_12345":[{"card_id":"card_5634230"}]}},"` + strings.Repeat("n", 300) + `":{"7654321":{"order_id":"card_9934230"}}}`
	var places []string
	for _, m := range ids.Check([]byte(args)) {
		places = append(places, m.Path)
	}
	if got := strings.Join(places, " "); got != "/carts/*/*/0/card_id /*/*/order_id" {
		t.Errorf("places %s", got)
	}
}

func TestJudgeTellsSeenFromMadeUp(t *testing.T) {
	ids := newIDs()
	ids.See("card_5634230")
	var got []string
	for j := range ids.Judge([]byte(`{"a_id":"card_5634230","b_id":"card_9934230","c":"word"}`)) {
		got = append(got, fmt.Sprint(j.Path, j.Value, j.Seen))
	}
	if s := strings.Join(got, " "); s != "/a_idcard_5634230true /b_idcard_9934230false" {
		t.Error(s)
	}
}

func TestInputOfAMegabyteIsReadInTimeAndSpaceThatGrowWithIt(t *testing.T) {
	const mega = 1 << 20
	for name, text := range map[string]string{
		"a long name over many values": `{"` + strings.Repeat("n", mega) + `":[` + strings.Repeat(`"card_5634230",`, 50_000) + `1]}`,
		"many long names":              `{"` + strings.Repeat(strings.Repeat("n", 1000)+`_id":"card_5634230","`, 1000) + `":1}`,
		"deep":                         strings.Repeat(`{"a_id":[`, mega/8) + `"card_5634230"`,
		"a token of many pieces":       `"` + strings.Repeat("1_", mega/2) + `"`,
		"a token of one piece":         `"` + strings.Repeat("1", mega) + `"`,
		"escapes":                      strings.Repeat(`\u00`, mega/4),
		"backslashes":                  strings.Repeat(`\`, mega),
		"numbers":                      `[` + strings.Repeat("7,", mega/2) + `7]`,
		"many ids":                     `{"ids":[` + strings.Repeat(`"a1B2c3D4",`, mega/12) + `0]}`,
		"look-alikes and controls":     strings.Repeat("\x00\u202eсаrd_5634230\x1b[2J", mega/32),
	} {
		ids := newIDs()
		start := time.Now()
		ids.Check([]byte(text))
		ids.See(text)
		ids.Learn(text)
		ids.Check([]byte(text))
		t.Log(name, time.Since(start))
	}
}

// FuzzIDs: whatever comes, nothing breaks, flags are bounded, and what stood there as it is was seen.
func FuzzIDs(f *testing.F) {
	f.Add("my id is abc_1234", `{"id":"AB12CD"}`, `{"id":"x_99999"}`)
	f.Add("\\u00e9\\", `[[[`, `{"id":[["a_12345"]]}`)
	f.Add(`%`, `\u12`, `{"id":"\u0000_12345","`+strings.Repeat("k", 300)+`_id":"a_55555"}`)
	f.Add("1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0", `{"n_number":[1234567,7654321]}`, `{"n_number":9999999}`)
	f.Fuzz(func(t *testing.T, text, result, args string) {
		ids := newIDs()
		ids.See(text)
		ids.Learn(result)
		found := ids.Check([]byte(args))
		if len(found) > activation.DefaultIDSettings().MaxFlags {
			t.Errorf("%d flags", len(found))
		}
		for _, m := range found {
			if m.Value == "" || len(m.Digest) != 32 {
				t.Errorf("%+v", m)
			}
			if standsIn(text, m.Value) || standsIn(result, m.Value) {
				t.Errorf("%q was there", m.Value)
			}
		}
	})
}

// standsIn reports that a text has an id with no letter, digit or joint on either side.
func standsIn(text, id string) bool {
	joint := func(c rune) bool {
		return c < unicode.MaxASCII && (c == '_' || c == '-' || unicode.IsLetter(c) || unicode.IsDigit(c))
	}
	for _, run := range strings.FieldsFunc(text, func(c rune) bool { return !joint(c) }) {
		if run == id {
			return true
		}
	}
	return false
}
