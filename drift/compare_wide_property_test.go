package drift

import (
	"encoding/json"
	"errors"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// widePair draws a schema and what became of it, each as an object with the definitions d0 and d1.
func widePair(t *rapid.T) (before, after map[string]any) {
	defs := map[string]any{"d0": genWide(2).Draw(t, "d0"), "d1": genWide(1).Draw(t, "d1")}
	x := genWide(3).Draw(t, "x")
	y := x
	later := maps.Clone(defs)
	for range rapid.IntRange(1, 3).Draw(t, "edits") {
		if rapid.IntRange(0, 4).Draw(t, "in a definition") == 0 {
			later["d0"] = editWide(t, later["d0"], 3)
			continue
		}
		y = editWide(t, y, 3)
	}
	bare := rapid.IntRange(0, 3).Draw(t, "bare") == 0
	before, after = asRead(wideRoot(x, defs, bare)).(map[string]any), asRead(wideRoot(y, later, bare)).(map[string]any)
	if rapid.Bool().Draw(t, "older") {
		before, after = drafted(t, before, after)
	}
	return before, after
}

// wideRoot makes arguments of a schema: the schema itself, or an object that has it.
func wideRoot(v any, defs map[string]any, bare bool) map[string]any {
	out := map[string]any{"type": "object", "properties": map[string]any{"x": v, "y": map[string]any{"$ref": "#/$defs/d0"}}}
	if m, ok := v.(map[string]any); ok && bare {
		out = maps.Clone(m)
	}
	out["$defs"] = defs
	return out
}

func TestWhatIsCalledNonBreakingTakesEveryOldCallAndLosesNoValue(t *testing.T) {
	judged, calls, witnesses := map[string]int{}, map[Class]int{}, map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		before, after := widePair(t)
		a, b := marshalled(before), marshalled(after)
		c, err := CompareSchemas(a, b, CompareOptions{})
		if err != nil {
			if !errors.Is(err, ErrCompare) {
				t.Fatal(err)
			}
			return
		}
		judged[string(c.Class)]++
		if c.Class == NonBreaking && c.Count(NonBreaking) == 0 {
			judged["no change"]++
		}
		old, _ := CompileSchema(a, Limits{})
		now, _ := CompileSchema(b, Limits{})
		for _, ch := range c.Changes {
			if ch.Witness != nil {
				checkWitness(t, a, b, ch)
			}
			if ch.Class == Breaking {
				witnesses[ch.Witness != nil]++
			}
		}
		for range 12 {
			from := before
			if rapid.IntRange(0, 2).Draw(t, "by the new one") == 0 {
				from = after
			}
			raw := marshalled(guided(t, asRead(from), asRead(from), 5))
			if holdOldCall(t, old, now, raw, c.Class == NonBreaking, string(a), string(b)) {
				calls[c.Class]++
			}
		}
		if c.Class == NonBreaking {
			calls[NonBreaking] += checkOldCalls(t, old, now, string(a), string(b))
		}
	})
	t.Logf("judged %v, old calls %v, breaking changes with a witness and without %v", judged, calls, witnesses)
}

// asRead is a schema as JSON has it.
func asRead(v any) any {
	var out any
	_ = json.Unmarshal(marshalled(v), &out)
	return out
}

// holdOldCall holds a call that keeps to the old schema against the new one; false when it is no old call.
func holdOldCall(t *rapid.T, old, now *Schema, raw []byte, nonBreaking bool, before, after string) bool {
	args, err := ParseArguments(raw, Limits{})
	if err != nil || raw[0] != '{' || !old.fits(args) {
		return false
	}
	if !nonBreaking {
		return true
	}
	invalid, err := now.Validate(args)
	if err != nil {
		return true
	}
	if len(invalid) > 0 && isSteady([]byte(before), raw) && isSteady([]byte(after), raw) {
		t.Fatalf("called non-breaking:\n%s\n%s\nbut %s fits the old and not the new: %v", before, after, raw, invalid)
	}
	if lost := now.unknownNames(args.doc); len(lost) > 0 {
		t.Fatalf("called non-breaking:\n%s\n%s\nbut of %s the new one does not know %v", before, after, raw, lost)
	}
	return true
}
