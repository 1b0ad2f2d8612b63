package store

import (
	"syscall"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

// BenchmarkInsert stores batches of 20,000 tool calls and says how many rows a second the store took and how many microseconds of CPU
// time a row cost, the engine's included where it is in this process. The sub-benchmark client leaves the server out.
func BenchmarkInsert(b *testing.B) {
	const n = 20_000
	rows := realistic(n)
	b.Run("client", func(b *testing.B) {
		b.ReportAllocs()
		measure(b, n, func(int) { encode(b, rows) })
	})
	b.Run("store", func(b *testing.B) {
		db := open(b)
		b.ReportAllocs()
		measure(b, n, func(i int) {
			x := uint64(i) * n
			for j := range rows {
				rows[j].Seq = x + uint64(j) + 1
			}
			if _, err := db.Position(b.Context(), testLane); err != nil {
				b.Fatal(err)
			}
			if err := db.Insert(b.Context(), testLane, token(testLane, x), rows); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// measure runs fn for each batch of n rows and reports rows a second and CPU time a row.
func measure(b *testing.B, n int, fn func(i int)) {
	i, before := 0, cpuTime(b)
	for b.Loop() {
		fn(i)
		i++
	}
	total := float64(i * n)
	b.ReportMetric(total/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/total, "cpu-us/row")
	b.ReportMetric(0, "ns/op")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// realistic returns tool calls with the fields that an agent's calls have.
func realistic(n int) []events.Row {
	rows := calls(1, n)
	tools := []string{"search", "read_file", "write_file", "list_issues", "get_issue", "run"}
	for i := range rows {
		d := rows[i].Event.Data.(*events.ToolCall)
		d.Context = events.Context{
			AgentName: "coder", AgentVersion: "1.4.2", Environment: "production", Team: "platform",
			ConversationID: uuid.NewString(), Turn: int64(i % 40), RequestID: uuid.NewString(), ProviderName: "anthropic",
			RequestModel: "model-4", TraceID: uuid.NewString(), SpanID: "00f067aa0ba902b7",
		}
		d.ToolCallID, d.ToolName, d.Resolution, d.SchemaVersion = uuid.NewString(), tools[i%len(tools)], events.ResolvedOK, "v3"
		d.ActiveVersion, d.ArgumentsDigest = "v3", events.Digester{}.Short([]byte(d.ToolCallID))
		d.ArgumentShape = []events.Argument{{Path: "/query", Type: "string"}, {Path: "/limit", Type: "integer"}, {Path: "/tags", Type: "array"}}
		d.Attempt, d.DurationSeconds, d.InputTokens, d.OutputTokens = 1, 0.35, events.Tokens(1200), events.Tokens(int64(i%500))
	}
	return rows
}

// encode does all that Insert does before it sends.
func encode(b *testing.B, rows []events.Row) {
	in := inputs.Get().(*input)
	defer inputs.Put(in)
	defer in.reset()
	if err := in.load(toolCalls, rows); err != nil {
		b.Fatal(err)
	}
	in.place = place{lane: testLane, at: time.Now(), day: time.Now()}
	block := toolCalls.blocks.get(toolCalls)
	defer toolCalls.blocks.put(block)
	if err := block.prepare(in, clickhouse.CompressionNone); err != nil {
		b.Fatal(err)
	}
	if _, err := block.body(in, clickhouse.CompressionNone); err != nil {
		b.Fatal(err)
	}
}
