package drift

import "testing"

func BenchmarkClassify(b *testing.B) {
	args := []byte(`{"id":"order-17","quantity":3,"unit":"kg"}`)
	s := mustCompile(b, orderV2)
	b.Run("one version", func(b *testing.B) {
		v := &Versions{Active: Version{Name: "v2", Schema: s}}
		b.ReportAllocs()
		for b.Loop() {
			Classify(v, Call{Arguments: args})
		}
	})
	b.Run("two versions", func(b *testing.B) {
		v := orderVersions(b)
		b.ReportAllocs()
		for b.Loop() {
			Classify(v, Call{Arguments: args})
		}
	})
	b.Run("silent default", func(b *testing.B) {
		v := orderVersions(b)
		b.ReportAllocs()
		for b.Loop() {
			Classify(v, Call{Arguments: []byte(`{"id":"x","amount":5}`)})
		}
	})
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		mustCompile(b, orderV2)
	}
}

func BenchmarkShape(b *testing.B) {
	args := []byte(`{"id":"order-17","quantity":3,"unit":"kg","lines":[{"a":1},{"a":2}]}`)
	b.ReportAllocs()
	for b.Loop() {
		Shape(args)
	}
}
