package prefix

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// sizeOfLarge is what the body of the benchmarks has at least, in bytes.
const sizeOfLarge = 2 << 20

// quote writes JSON as most clients do, without escapes for HTML.
func quote(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

// largeTools returns the array of 300 tools of 1.5 kB or so.
func largeTools() []byte {
	var tools []any
	for i := range 300 {
		properties := map[string]any{}
		for p := range 8 {
			properties[fmt.Sprintf("argument_%d", p)] = map[string]any{
				"type": "string", "description": fmt.Sprintf("What the %dth argument of the tool means, with an \"example\" and where it may be left out.", p),
			}
		}
		tools = append(tools, map[string]any{
			"name": fmt.Sprintf("mcp__server_%d__tool_%d", i%12, i), "input_schema": map[string]any{"type": "object", "properties": properties, "required": []string{"argument_0"}},
			"description": fmt.Sprintf("Tool %d does what its name says.\nIt takes a path and returns the lines of it.", i),
		})
	}
	return quote(tools)
}

// texts are the sources and documents of this repository: what agents read all day.
func texts(b testing.TB) []string {
	var all []string
	for _, pattern := range []string{"*.go", "../docs/*.md", "../client/*.go", "../docs/decisions/*.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			all = append(all, string(text[:min(len(text), 6000)]))
		}
	}
	return all
}

// largeBody returns a request with many tools and a long history: questions, calls of tools, results with code, answers.
func largeBody(b testing.TB) []byte {
	all := texts(b)
	body := append([]byte(`{"model":"claude-a","max_tokens":4096,"system":[{"type":"text","text":`), quote(all[0]+all[1]+all[2])...)
	body = append(append(body, `}],"tools":`...), largeTools()...)
	body = append(body, `,"messages":[{"role":"user","content":"Find it."}`...)
	for i := 0; len(body) < sizeOfLarge; i++ {
		text, id := all[i%len(all)], fmt.Sprintf("toolu_%020d", i)
		body = append(append(body, `,{"role":"assistant","content":[{"type":"text","text":`...), quote(text[:min(len(text), 400)])...)
		body = fmt.Appendf(body, `},{"type":"tool_use","id":%q,"name":"mcp__server_0__tool_0","input":{"path":"prefix/split.go","line":%d}}]}`, id, i)
		body = fmt.Appendf(body, `,{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":[{"type":"text","text":`, id)
		body = append(append(body, quote(text)...), `}]}]}`...)
	}
	return append(body, `]}`...)
}

// BenchmarkSplit holds digesting a large body against SHA-256 over the same bytes, taken in turns: "of-sha256" is its throughput as a
// multiple of that, by the quicker tenth of each. Of the body of "tools seen" nothing else was seen before.
func BenchmarkSplit(b *testing.B) {
	body := largeBody(b)
	seen := NewSplitter(events.Digester{})
	for _, c := range []struct {
		name string
		run  func() error
	}{
		{"sha256 alone", func() error { sha256.Sum256(body); return nil }},
		{"tools seen", func() error { _, err := seen.Split("anthropic", body); return err }},
		{"nothing seen", func() error { _, err := Split("anthropic", body, events.Digester{}); return err }},
		{"jsontext reading alone", func() error {
			if !taken(body) {
				return ErrNotRequest
			}
			return nil
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var alone, all []time.Duration
			for b.Loop() {
				start := time.Now()
				sha256.Sum256(body)
				between := time.Now()
				if err := c.run(); err != nil {
					b.Fatal(err)
				}
				alone, all = append(alone, between.Sub(start)), append(all, time.Since(between))
			}
			took := quick(all)
			b.ReportMetric(float64(took), "ns/op")
			b.ReportMetric(float64(len(body))/took.Seconds()/1e6, "MB/s")
			b.ReportMetric(float64(quick(alone))/float64(took), "of-sha256")
		})
	}
}

// quick returns what the quicker tenth stays below: what others on the machine take is not in it.
func quick(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/10]
}

// BenchmarkDiffBodies compares two large bodies that differ in the last message.
func BenchmarkDiffBodies(b *testing.B) {
	body := largeBody(b)
	later := bytes.Clone(body)
	later[len(later)-100] ^= 1
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := DiffBodies("anthropic", body, later); err != nil {
			b.Fatal(err)
		}
	}
}
