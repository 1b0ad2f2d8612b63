package embedded_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
)

// BenchmarkInsertBatch inserts 50,000 rows at a time through clickhouse-go.
func BenchmarkInsertBatch(b *testing.B) {
	addr, database := enginetest.Database(b)
	db, err := clickhouse.Open(&clickhouse.Options{
		Protocol: clickhouse.HTTP, Addr: []string{addr}, Auth: clickhouse.Auth{Database: database},
		Compression: &clickhouse.Compression{Method: clickhouse.CompressionLZ4},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if err := db.Exec(b.Context(), tableT); err != nil {
		b.Fatal(err)
	}
	rows := 0
	for b.Loop() {
		if err := insertRows(b.Context(), db, rows, 50_000); err != nil {
			b.Fatal(err)
		}
		rows += 50_000
	}
	b.ReportMetric(float64(rows)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkSmallQuery is the least that a request costs.
func BenchmarkSmallQuery(b *testing.B) {
	addr := enginetest.Start(b)
	for b.Loop() {
		resp, err := http.Post("http://"+addr+"/", "", strings.NewReader("SELECT 1"))
		if err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
}
