package drift

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// benchTool is a definition of eight arguments, some of them nested, as servers have them. A later one differs in four: one is new, one gone, an
// enum has another value and a bound is lower.
func benchTool(i int, later bool) jsontext.Value {
	changed, enum, most := `"note":{"type":"string","description":"A remark for whoever reads the order"}`, `"kg","t"`, 100
	if later {
		changed, enum, most = `"reason":{"type":"string","description":"Why the order is placed"}`, `"kg","t","lb"`, 50
	}
	return jsontext.Value(fmt.Sprintf(`{"name":"order_%03d","description":"Places order %d and returns its number.","inputSchema":{"type":"object","properties":{
		"id":{"type":"string","minLength":1,"description":"Number of the order"},"quantity":{"type":"integer","minimum":1,"maximum":%d},
		"unit":{"type":"string","enum":[%s],"default":"kg"},"page":{"type":"integer","minimum":1},"labels":{"type":"array","items":{"type":"string"}},
		"lines":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"},"count":{"type":"integer"}},"required":["sku"]}},
		"address":{"anyOf":[{"type":"object","properties":{"city":{"type":"string"},"zip":{"type":"string","pattern":"^[0-9]{5}$"}},"required":["city"]},{"type":"null"}]},
		%s},"required":["id","quantity"]},"annotations":{"readOnlyHint":false}}`, i, i, most, enum, changed))
}

func benchTools(changed int) (before, after []jsontext.Value) {
	for i := range 100 {
		before, after = append(before, benchTool(i, false)), append(after, benchTool(i, i < changed))
	}
	return before, after
}

// BenchmarkDiff100 compares two lists of 100 tools.
func BenchmarkDiff100(b *testing.B) {
	for _, changed := range []int{100, 1} {
		b.Run(fmt.Sprintf("%d changed", changed), func(b *testing.B) {
			before, after := benchTools(changed)
			b.ReportAllocs()
			for b.Loop() {
				l, err := CompareLists(before, after, ListOptions{})
				if err != nil || len(l.Changed) != changed || l.Class != Breaking {
					b.Fatalf("%v, %d changed, %s", err, len(l.Changed), l.Class)
				}
			}
		})
	}
}
