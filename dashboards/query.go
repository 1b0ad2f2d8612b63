package dashboards

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/variants"
	"github.com/grafana/grafana-foundation-sdk/go/common"
)

// Query is a query of Grafana's ClickHouse data source, version 4.
type Query struct {
	RefID      string                `json:"refId"`
	Datasource *common.DataSourceRef `json:"datasource,omitempty"`
	EditorType string                `json:"editorType"`
	QueryType  string                `json:"queryType"`
	Format     int                   `json:"format"`
	RawSQL     string                `json:"rawSql"`
}

// The formats of answers.
const (
	formatTimeSeries = 0
	formatTable      = 1
)

// NewQuery returns a query whose answer is a table, or time series.
func NewQuery(sql string, timeSeries bool) *Query {
	q := &Query{RefID: "A", Datasource: source(), EditorType: "sql", QueryType: "table", Format: formatTable, RawSQL: sql}
	if timeSeries {
		q.QueryType, q.Format = "timeseries", formatTimeSeries
	}
	return q
}

// source is the data source that the variable datasource names.
func source() *common.DataSourceRef {
	return &common.DataSourceRef{Type: cog.ToPtr(SourceType), Uid: cog.ToPtr("${datasource}")}
}

// ImplementsDataqueryVariant says that it is a query.
func (q Query) ImplementsDataqueryVariant() {}

// DataqueryType is the plugin of the data source.
func (q Query) DataqueryType() string { return SourceType }

// Build returns the query, so that it is its own builder.
func (q Query) Build() (variants.Dataquery, error) { return q, q.Validate() }

// Validate says what is wrong with the query.
func (q Query) Validate() error {
	if q.RawSQL == "" || q.RefID == "" {
		return cog.MakeBuildErrors("query", fmt.Errorf("sql %q or refId %q is empty", q.RawSQL, q.RefID))
	}
	return nil
}

// Equals compares with a query, or with a pointer to one.
func (q Query) Equals(other variants.Dataquery) bool {
	switch o := other.(type) {
	case Query:
		return q.equal(o)
	case *Query:
		return o != nil && q.equal(*o)
	}
	return false
}

func (q Query) equal(o Query) bool {
	if (q.Datasource == nil) != (o.Datasource == nil) || q.Datasource != nil && !q.Datasource.Equals(*o.Datasource) {
		return false
	}
	q.Datasource, o.Datasource = nil, nil
	return q == o
}

// Variant tells the SDK how to read the queries back.
func Variant() variants.DataqueryConfig {
	read := func(strict bool) func([]byte) (variants.Dataquery, error) {
		return func(raw []byte) (variants.Dataquery, error) {
			d := json.NewDecoder(bytes.NewReader(raw))
			if strict {
				d.DisallowUnknownFields()
			}
			var q Query
			if err := d.Decode(&q); err != nil {
				return nil, fmt.Errorf("read ClickHouse query: %w", err)
			}
			return q, nil
		}
	}
	return variants.DataqueryConfig{Identifier: SourceType, DataqueryUnmarshaler: read(false), StrictDataqueryUnmarshaler: read(true)}
}
