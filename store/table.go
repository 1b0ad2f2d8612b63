package store

import (
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/tooltrail/tooltrail/events"
)

// Table is one table that batches are inserted into.
type Table struct {
	// Name is what queries call it.
	Name string
	// Kind is the kind of its events.
	Kind events.Kind

	columns []column
	// late has the indices of the columns that are known only when the batch is sent, early those of all others.
	early, late []int
	insert      string
	blocks      blocks
}

// Tables returns the tables of the six kinds and of the dead letters.
func Tables() []*Table {
	return []*Table{toolCalls, activations, requestPrefixes, toolRosters, toolDefinitions, clientHeartbeats, deadLetters}
}

// retained returns the names of the tables whose rows are kept for as long as [Config.RetentionDays] says.
func retained() []string {
	return append(each(Tables(), func(t **Table) string { return (*t).Name }), "request_verdicts", "notable_verdicts", "judged_calls", "looked_up_calls")
}

// Columns returns the names of the columns that an insert fills.
func (t *Table) Columns() []string {
	return each(t.columns, func(c *column) string { return c.name })
}

// newTable puts the columns of every table before those of its own.
func newTable(name string, kind events.Kind, own ...column) *Table {
	t := &Table{Name: name, Kind: kind, columns: placeColumns(), blocks: make(blocks, keptBlocks)}
	if kind != events.KindDeadLetter {
		t.columns = append(t.columns, eventColumns()...)
	}
	t.columns = append(t.columns, own...)
	t.insert = "INSERT INTO " + name + " ("
	for i, c := range t.columns {
		if i > 0 {
			t.insert += ", "
		}
		t.insert += "`" + c.name + "`"
		if lateColumns[c.name] {
			t.late = append(t.late, i)
		} else {
			t.early = append(t.early, i)
		}
	}
	t.insert += ")"
	return t
}

// tableOf returns the table of a kind.
func tableOf(k events.Kind) (*Table, error) {
	for _, t := range Tables() {
		if t.Kind == k {
			return t, nil
		}
	}
	return nil, permanent("find table", fmt.Sprintf("unknown kind %q", k))
}

// lateColumns follow from where and when a batch is sent, and not from its rows.
var lateColumns = map[string]bool{"lane": true, "ingested_at": true, "part_day": true}

// placeColumns say where rows come from and when they were stored.
func placeColumns() []column {
	return []column{
		shared("lane", "String", func(in *input) any {
			return constant(&in.strings, in, in.place.lane)
		}),
		shared("seq", "UInt64", func(in *input) any {
			return perRow(&in.uints, in, func(r *events.Row) uint64 { return r.Seq })
		}),
		shared("pos", "UInt32", func(in *input) any {
			return perRow(&in.uint32s, in, func(r *events.Row) uint32 { return r.Pos })
		}),
		shared("ingested_at", "DateTime64(3, 'UTC')", func(in *input) any {
			return constant(&in.times, in, in.place.at)
		}),
		shared("part_day", "Date", func(in *input) any {
			return constant(&in.times, in, in.place.day)
		}),
		shared("id", "UUID", func(in *input) any { return in.ids }),
	}
}

// eventColumns are those of every event.
func eventColumns() []column {
	return append([]column{
		shared("source", "String", func(in *input) any {
			return perRow(&in.strings, in, func(r *events.Row) string { return r.Event.Source })
		}),
		timeColumn(),
	}, contextColumns()...)
}

// timeColumn says when an event happened.
func timeColumn() column {
	return shared("time", "DateTime64(6, 'UTC')", func(in *input) any {
		return perRow(&in.times, in, func(r *events.Row) time.Time { return storable(r.Event.Time) })
	})
}

// contextColumns are the fields of [events.Context].
func contextColumns() []column {
	return []column{
		common("agent_name", func(c *events.Context) string { return c.AgentName }),
		common("agent_version", func(c *events.Context) string { return c.AgentVersion }),
		common("environment", func(c *events.Context) string { return c.Environment }),
		common("team", func(c *events.Context) string { return c.Team }),
		common("conversation_id", func(c *events.Context) string { return c.ConversationID }),
		shared("turn", "Int64", func(in *input) any {
			s := in.ints[:0]
			for _, c := range in.contexts {
				s = append(s, c.Turn)
			}
			in.ints = s
			return s
		}),
		common("request_id", func(c *events.Context) string { return c.RequestID }),
		common("provider_name", func(c *events.Context) string { return c.ProviderName }),
		common("request_model", func(c *events.Context) string { return c.RequestModel }),
		common("trace_id", func(c *events.Context) string { return c.TraceID }),
		common("span_id", func(c *events.Context) string { return c.SpanID }),
		common("cohort", func(c *events.Context) string { return c.Cohort }),
	}
}

// shared is a column whose values are made in one go.
func shared(name, wire string, values func(*input) any) column {
	return column{name, wire, func(dst driver.BatchColumn, in *input) error { return dst.Append(values(in)) }}
}

// common is a column of strings from what every event carries.
func common(name string, get func(*events.Context) string) column {
	return shared(name, "String", func(in *input) any {
		s := in.strings[:0]
		for _, c := range in.contexts {
			s = append(s, get(c))
		}
		in.strings = s
		return s
	})
}

// perRow fills a buffer with a value a row.
func perRow[E any](buf *[]E, in *input, get func(*events.Row) E) []E {
	s := (*buf)[:0]
	for i := range in.rows {
		s = append(s, get(&in.rows[i]))
	}
	*buf = s
	return s
}

// constant fills a buffer with the same value for every row.
func constant[E any](buf *[]E, in *input, v E) []E {
	return perRow(buf, in, func(*events.Row) E { return v })
}
