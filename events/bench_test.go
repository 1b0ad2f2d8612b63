package events_test

import (
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

func BenchmarkDecodeToolCall(b *testing.B) {
	line, err := events.AppendEvent(nil, sampleCall())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := events.DecodeKind(events.KindToolCall, line); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendToolCall(b *testing.B) {
	e := sampleCall()
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := events.AppendEvent(buf[:0], e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidateToolCall(b *testing.B) {
	e := sampleCall()
	for b.Loop() {
		if err := e.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRefuseToolCall(b *testing.B) {
	e := sampleCall()
	e.Data.(*events.ToolCall).Outcome = "lost"
	line, err := events.AppendEvent(nil, e)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := events.DecodeKind(events.KindToolCall, line); err == nil {
			b.Fatal("want an error")
		}
	}
}
