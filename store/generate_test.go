package store

import (
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/tooltrail/tooltrail/events"
)

// samples has an empty value of each kind that is stored.
func samples() []events.Data {
	return []events.Data{
		&events.ToolCall{}, &events.Activation{}, &events.RequestPrefix{}, &events.ToolRoster{}, &events.ToolDefinition{},
		&events.ClientHeartbeat{}, &events.DeadLetter{},
	}
}

// anEvent draws an event like sample with all its fields set, however deep.
func anEvent(t *rapid.T, sample events.Data) *events.Event {
	v := reflect.New(reflect.TypeOf(sample).Elem())
	fill(t, v.Elem())
	var id uuid.UUID
	copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	return &events.Event{ID: id.String(), Source: aString().Draw(t, "source"), Time: aTime().Draw(t, "time"), Data: v.Interface().(events.Data)}
}

// generated returns rows of a kind: some with all fields set, at random but the same in every run, and one with none.
func generated(sample events.Data) []events.Row {
	var rows []events.Row
	gen := rapid.Custom(func(t *rapid.T) *events.Event { return anEvent(t, sample) })
	for i := range 60 {
		rows = append(rows, events.Row{Seq: uint64(i/2 + 1), Pos: uint32(i % 2), Event: gen.Example(i)}) //nolint:gosec // small
	}
	return append(rows, events.Row{Seq: 31, Event: bare(rows[0].Event)})
}

func aString() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom([]string{"a", "tool", "ünï\x00çødé", "'\\\n\t\"`", "{}"}), rapid.StringN(1, 40, 200))
}

func aTime() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		return time.UnixMicro(rapid.Int64Range(1, 4e15).Draw(t, "micros")).UTC()
	})
}

// fill sets all of v. It knows the types that events are made of, and panics on another, which then needs a column type too.
func fill(t *rapid.T, v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *events.Count:
		*p = events.Tokens(rapid.Int64Range(0, 1<<62).Draw(t, "count"))
		return
	case *events.Amount:
		*p = events.USD(rapid.Float64Range(0, 1e6).Draw(t, "amount"))
		return
	case *time.Time:
		*p = aTime().Draw(t, "time")
		return
	case *jsontext.Value:
		*p = jsontext.Value(`{"key":` + string(mustQuote(aString().Draw(t, "json"))) + `}`)
		return
	case *[]byte:
		*p = rapid.SliceOfN(rapid.Byte(), 1, 100).Draw(t, "bytes")
		return
	}
	fillKind(t, v)
}

func fillKind(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Slice:
		n := rapid.IntRange(1, 4).Draw(t, "length")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(t, v.Index(i))
		}
	case reflect.String:
		v.SetString(aString().Draw(t, "string"))
	case reflect.Int64:
		v.SetInt(rapid.Int64Range(1, 1<<62).Draw(t, "int"))
	case reflect.Uint64, reflect.Uint32:
		v.SetUint(rapid.Uint64Range(1, 1<<31).Draw(t, "uint"))
	case reflect.Float64:
		v.SetFloat(rapid.Float64Range(0, 1e9).Draw(t, "float"))
	case reflect.Bool:
		v.SetBool(true)
	default:
		panic("no generator for a " + v.Type().String())
	}
}

func mustQuote(s string) []byte {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		panic(err)
	}
	return b
}

// flatten returns an event's fields as columns: by their JSON names, lists of structs as one list a field.
func flatten(e *events.Event) map[string]any {
	out := map[string]any{"id": uuid.MustParse(e.ID), "time": e.Time}
	if e.Kind() != events.KindDeadLetter {
		out["source"] = e.Source
	}
	flattenStruct(out, reflect.ValueOf(e.Data).Elem())
	return out
}

func flattenStruct(out map[string]any, v reflect.Value) {
	for i := range v.NumField() {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch f := v.Field(i); {
		case strings.Contains(options, "inline"):
			flattenStruct(out, f)
		case f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct:
			flattenList(out, name, f)
		default:
			out[name] = plain(f)
		}
	}
}

func flattenList(out map[string]any, name string, list reflect.Value) {
	element := list.Type().Elem()
	for i := range element.NumField() {
		field, _, _ := strings.Cut(element.Field(i).Tag.Get("json"), ",")
		var values []any
		for j := range list.Len() {
			values = append(values, plain(list.Index(j).Field(i)))
		}
		out[name+"."+field] = values
	}
}

// plain returns a field's value as one of a few types.
func plain(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case events.Count:
		if !x.Known {
			return nil
		}
		return x.N
	case events.Amount:
		if !x.Known {
			return nil
		}
		return x.USD
	case time.Time:
		return known(x)
	case uuid.UUID:
		return x
	case jsontext.Value:
		return string(x)
	case []byte:
		return string(x)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return plain(v.Elem())
	case reflect.String:
		return v.String()
	case reflect.Uint64, reflect.Uint32:
		return int64(v.Uint()) //nolint:gosec // small in tests
	case reflect.Slice:
		var values []any
		for i := range v.Len() {
			values = append(values, plain(v.Index(i)))
		}
		return values
	}
	return v.Interface()
}
