package events_test

import (
	"bytes"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// place is where a value stands in a line, and where its member's name starts.
type place struct {
	name, from, to int
	pointer        string // with every index as 0
}

var index = regexp.MustCompile(`/[0-9]+`)

func places(line []byte) []place { // line is valid JSON
	var all []place
	dec := jsontext.NewDecoder(bytes.NewReader(line))
	var walk func(name int)
	walk = func(name int) {
		from := int(dec.InputOffset())
		if from > 0 && (line[from] == ':' || line[from] == ',') {
			from++
		}
		switch dec.PeekKind() {
		case '{', '[':
			object := dec.PeekKind() == '{'
			_, _ = dec.ReadToken()
			for k := dec.PeekKind(); k != '}' && k != ']'; k = dec.PeekKind() {
				at := -1
				if object {
					if at = int(dec.InputOffset()); line[at] == ',' {
						at++
					}
					_, _ = dec.ReadToken()
				}
				walk(at)
			}
			_, _ = dec.ReadToken()
		default:
			_, _ = dec.ReadToken()
		}
		all = append(all, place{name, from, int(dec.InputOffset()), index.ReplaceAllString(string(dec.StackPointer()), "/0")})
	}
	walk(-1)
	return all
}

func oddValues() []string {
	return []string{
		`null`, `true`, `false`, `0`, `-0`, `-1`, `1`, `1.0`, `1.5`, `1e2`, `1E400`, `4294967295`, `4294967296`, `9007199254740991`,
		`9007199254740992`, `1e9`, `1000000001`, `-0.5`, `""`, `"x"`, `"null"`, `"client"`, `"ok"`, `"unknown"`, `[]`, `{}`, `[null]`, `[""]`, `[{}]`, `{"a":null}`, `[1]`,
		`"` + short + `"`, `"` + full + `"`, `"` + strings.ToUpper(full) + `"`, `"` + short + `0"`, `"1.0"`, `"1.1"`, `"\u0000"`, `"\ud800"`, "\"\xff\"",
		`"01957F3A-1111-7ABC-8DEF-0123456789AB"`, `"01957f3a11117abc8def0123456789ab"`, `"{1957f3a-1111-7abc-8def-0123456789ab"`,
		`"2026-03-09T14:30:05Z"`, `"2026-03-09t14:30:05z"`, `"2026-03-09T14:30:60Z"`, `"2026-02-30T14:30:05Z"`, `"2026-03-09T24:00:00Z"`, `"2026-03-09 14:30:05Z"`,
		`"2026-03-09T14:30:05.1234567890123Z"`, `"2026-03-09T14:30:05,5Z"`, `"2026-03-09T14:30:05.Z"`, `"2026-03-09T14:30:05+23:59"`, `"2026-03-09T14:30:05+24:00"`,
		`"2026-03-09T14:30:05-00:60"`, `"2026-03-09T14:30:05"`, `"2026-03-09T4:30:05Z"`, `"0001-01-01T00:00:00Z"`, `"0001-01-01T01:00:00+01:00"`, `"1969-12-31T23:59:59Z"`,
		`"1970-01-01T00:00:00Z"`, `"2199-12-31T23:59:59.999Z"`, `"2200-01-01T00:00:00Z"`, `"12026-03-09T14:30:05Z"`, `"dev.tooltrail.tool_call.v1"`, `{"a":1,"a":2}`, `nul`, ``,
		`"string"`, `"tools"`, `"deploy"`, `"mention"`, `"aborted"`, `{"type":"dev.tooltrail.activation.v1"}`,
	}
}

func splice(line []byte, at place, value string) []byte {
	return slices.Concat(line[:at.from], []byte(value), line[at.to:])
}

// drop takes a member or an item out, with one comma.
func drop(line []byte, at place) []byte {
	from, to := at.from, at.to
	if at.name >= 0 {
		from = at.name
	}
	switch {
	case to < len(line) && line[to] == ',':
		to++
	case from > 0 && line[from-1] == ',':
		from--
	}
	return slices.Concat(line[:from], line[to:])
}

// mutate changes one place of a line.
func mutate(t *rapid.T, line []byte) []byte {
	if !jsontext.Value(line).IsValid() {
		return line
	}
	all := places(line)
	at := rapid.SampledFrom(all).Draw(t, "place")
	switch rapid.IntRange(0, 9).Draw(t, "how") {
	case 0:
		return drop(line, at)
	case 1: // the same member twice, or an item again
		from := max(at.name, 0)
		if at.name < 0 {
			from = at.from
		}
		return slices.Concat(line[:at.to], []byte{','}, line[from:at.to], line[at.to:])
	case 2: // another case of a name
		if at.name < 0 {
			return line
		}
		return slices.Concat(line[:at.name], bytes.ToUpper(line[at.name:at.from]), line[at.from:])
	case 3: // any byte
		i := rapid.IntRange(0, len(line)-1).Draw(t, "byte at")
		return slices.Concat(line[:i], []byte{rapid.Byte().Draw(t, "byte")}, line[i+1:])
	case 4: // a member of the future
		return slices.Concat([]byte(`{"a_new_field":{"x":[1]},`), bytes.TrimPrefix(line, []byte("{")))
	default:
		return splice(line, at, rapid.SampledFrom(oddValues()).Draw(t, "value"))
	}
}

// anyEvent draws a valid event of any kind with any of its fields set.
func anyEvent(t *rapid.T) *events.Event {
	e := rapid.SampledFrom(samples()).Draw(t, "kind")
	fresh := reflect.New(reflect.TypeOf(e.Data).Elem())
	fill(t, fresh.Elem(), reflect.ValueOf(e.Data).Elem(), "")
	e.Data = fresh.Interface().(events.Data)
	e.Time = anyTime(t)
	return e
}

func anyTime(t *rapid.T) time.Time {
	return time.Unix(rapid.Int64Range(1, 7_000_000_000).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC()
}

// always are the fields that a valid event must have.
var always = []string{"ToolName", "Outcome", "Via", "Status", "StartTime", "RosterDigest", "Reason", "WireDigest", "DefinitionDigest",
	"SchemaDigest", "Definition", "ClientID", "ClientVersion", "Name", "Digest", "Keyword", "Type", "Part"}

// fill sets to at random: to nothing, to what the sample has, or to a random value of its type where every value will do.
func fill(t *rapid.T, to, sample reflect.Value, name string) {
	if !slices.Contains(always, name) && name != "" && rapid.IntRange(0, 3).Draw(t, name+" left out") == 0 {
		return
	}
	switch v := sample.Interface().(type) {
	case time.Time:
		to.Set(reflect.ValueOf(anyTime(t)))
		return
	case events.Count:
		to.Set(reflect.ValueOf(events.Tokens(rapid.Int64Range(0, 1<<53-1).Draw(t, name))))
		return
	case events.Amount:
		to.Set(reflect.ValueOf(events.USD(rapid.Float64Range(0, 1e9).Draw(t, name))))
		return
	case jsontext.Value:
		to.Set(reflect.ValueOf(v))
		return
	}
	switch to.Kind() {
	case reflect.Struct:
		for i := range to.NumField() {
			field := to.Type().Field(i).Name
			if field == "Context" {
				field = ""
			}
			fill(t, to.Field(i), sample.Field(i), field)
		}
	case reflect.Slice:
		for range rapid.IntRange(0, 3).Draw(t, name+" length") {
			item := reflect.New(to.Type().Elem()).Elem()
			fill(t, item, sample.Index(rapid.IntRange(0, sample.Len()-1).Draw(t, name+" item")), "")
			to.Set(reflect.Append(to, item))
		}
	case reflect.Int64:
		to.SetInt(rapid.Int64Range(0, 1<<32-1).Draw(t, name))
	case reflect.Float64:
		to.SetFloat(rapid.Float64Range(0, 1e9).Draw(t, name))
	case reflect.Bool:
		to.SetBool(rapid.Bool().Draw(t, name))
	case reflect.String:
		to.SetString(anyString(t, sample, name))
	}
}

// free are the strings in which every value will do.
var free = []string{"AgentName", "ConversationID", "Server", "ResolvedName", "SchemaVersion", "Value", "Path", "Release"}

func anyString(t *rapid.T, sample reflect.Value, name string) string {
	if slices.Contains(free, name) {
		return rapid.String().Draw(t, name)
	}
	return sample.String()
}
