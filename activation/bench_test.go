package activation

import (
	"fmt"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// beside measures f, and other as often, and reports how many times as long f takes.
func beside(b *testing.B, unit string, f, other func()) {
	b.ReportAllocs()
	began := time.Now()
	for range b.N {
		other()
	}
	base := time.Since(began)
	b.ResetTimer()
	for range b.N {
		f()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(max(base, 1)), unit)
}

// One of 10,000 names looked up, beside a map of the same names.
func BenchmarkResolveExactBesideAMap(b *testing.B) {
	r := manyTools(10_000, 20)
	s, plain := NewState(r), map[string]int{}
	for i, t := range r.Tools() {
		plain[t.Name] = i
	}
	const name = "server7_do_something_7"
	found := 0
	beside(b, "x-a-map", func() { s.Resolve(name) }, func() { found += plain[name] })
	if found == 0 {
		b.Error("the map does not have it")
	}
}

// A list of 1,000 tools linted, beside the same definitions read and written once as canonical JSON.
func BenchmarkLintBesideEncoding(b *testing.B) {
	var tools []Tool
	for i := range 1000 {
		name := fmt.Sprintf("get_thing_%d", i)
		tools = append(tools, Tool{Name: name, Server: "things", Definition: fmt.Appendf(nil, `{"name":%q,"description":"Gets thing %d by its id; only when it is needed.",`+
			`"inputSchema":{"type":"object","required":["thing_id"],"properties":{"thing_id":{"type":"string"},"limit":{"type":"integer"}}}}`, name, i)})
	}
	beside(b, "x-encoding", func() { Lint(tools, LintOptions{}) }, func() {
		for i := range tools {
			if _, err := events.Canonical(tools[i].Definition); err != nil {
				b.Fatal(err)
			}
		}
	})
}
