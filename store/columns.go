package store

import (
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

// column moves one field of a batch's rows into one column of a block.
type column struct {
	name string
	// wire is the type in which it is sent over HTTP. The server turns it into the table's own: sending String for a
	// LowCardinality(String) costs the sender a fifth of building the dictionary itself.
	wire string
	put  func(dst driver.BatchColumn, in *input) error
}

// input is a batch on its way into columns, with buffers that are used again for every column and batch.
type input struct {
	rows     []events.Row
	data     []any
	contexts []*events.Context
	place    place

	strings []string
	ints    []int64
	uints   []uint64
	uint32s []uint32
	floats  []float64
	bools   []bool
	times   []time.Time
	ids     []uuid.UUID
	uintp   []*uint64
	floatp  []*float64
}

// place is what all rows of a batch share.
type place struct {
	lane string
	// at is when the batch is inserted, day names its partition.
	at, day time.Time
}

// reset lets go of the batch and keeps the buffers.
func (in *input) reset() {
	in.rows, in.place = nil, place{}
	clear(in.data)
	clear(in.contexts)
	clear(in.strings[:cap(in.strings)])
	in.data, in.contexts, in.ids = in.data[:0], in.contexts[:0], in.ids[:0]
}

// text is a column of strings, which a LowCardinality one is too on its way.
func text[D any](name string, get func(*D) string) column {
	return column{name, "String", func(dst driver.BatchColumn, in *input) error {
		s := in.strings[:0]
		for _, d := range in.data {
			s = append(s, get(d.(*D)))
		}
		in.strings = s
		return dst.Append(s)
	}}
}

// number is a column of whole numbers.
func number[D any](name string, get func(*D) int64) column {
	return column{name, "Int64", func(dst driver.BatchColumn, in *input) error {
		s := in.ints[:0]
		for _, d := range in.data {
			s = append(s, get(d.(*D)))
		}
		in.ints = s
		return dst.Append(s)
	}}
}

// unsigned is a column of whole numbers that are never negative.
func unsigned[D any](name string, get func(*D) uint64) column {
	return column{name, "UInt64", func(dst driver.BatchColumn, in *input) error {
		s := in.uints[:0]
		for _, d := range in.data {
			s = append(s, get(d.(*D)))
		}
		in.uints = s
		return dst.Append(s)
	}}
}

// real is a column of floating-point numbers.
func real[D any](name string, get func(*D) float64) column {
	return column{name, "Float64", func(dst driver.BatchColumn, in *input) error {
		s := in.floats[:0]
		for _, d := range in.data {
			s = append(s, get(d.(*D)))
		}
		in.floats = s
		return dst.Append(s)
	}}
}

// truth is a column of booleans.
func truth[D any](name string, get func(*D) bool) column {
	return column{name, "Bool", func(dst driver.BatchColumn, in *input) error {
		s := in.bools[:0]
		for _, d := range in.data {
			s = append(s, get(d.(*D)))
		}
		in.bools = s
		return dst.Append(s)
	}}
}

// moment is a column of times; the zero time is 1970-01-01.
func moment[D any](name string, get func(*D) time.Time) column {
	return column{name, "DateTime64(6, 'UTC')", func(dst driver.BatchColumn, in *input) error {
		s := in.times[:0]
		for _, d := range in.data {
			s = append(s, storable(get(d.(*D))))
		}
		in.times = s
		return dst.Append(s)
	}}
}

// count is a column of token counts, NULL where one was not reported.
func count[D any](name string, get func(*D) events.Count) column {
	return column{name, "Nullable(UInt64)", func(dst driver.BatchColumn, in *input) error {
		v, p := grow(in.uints, len(in.data)), grow(in.uintp, len(in.data))
		for i, d := range in.data {
			p[i] = nil
			if c := get(d.(*D)); c.Known {
				v[i] = uint64(max(c.N, 0)) //nolint:gosec // not negative
				p[i] = &v[i]
			}
		}
		in.uints, in.uintp = v, p
		return dst.Append(p)
	}}
}

// amount is a column of US dollars, NULL where none was stated.
func amount[D any](name string, get func(*D) events.Amount) column {
	return column{name, "Nullable(Float64)", func(dst driver.BatchColumn, in *input) error {
		v, p := grow(in.floats, len(in.data)), grow(in.floatp, len(in.data))
		for i, d := range in.data {
			p[i] = nil
			if a := get(d.(*D)); a.Known {
				v[i] = a.USD
				p[i] = &v[i]
			}
		}
		in.floats, in.floatp = v, p
		return dst.Append(p)
	}}
}

// list is a column of arrays. Empty ones, which most are, cost no allocation.
func list[D, E any](name, element string, get func(*D) []E) column {
	var none any = []E{}
	return column{name, "Array(" + element + ")", func(dst driver.BatchColumn, in *input) error {
		for _, d := range in.data {
			v := none
			if l := get(d.(*D)); len(l) > 0 {
				v = l
			}
			if err := dst.AppendRow(v); err != nil {
				return err
			}
		}
		return nil
	}}
}

// texts is a column of arrays of strings.
func texts[D any](name string, get func(*D) []string) column { return list(name, "String", get) }

// grow returns s with length n.
func grow[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}

// each returns one field of every element.
func each[E, F any](l []E, get func(*E) F) []F {
	if len(l) == 0 {
		return nil
	}
	out := make([]F, len(l))
	for i := range l {
		out[i] = get(&l[i])
	}
	return out
}

// The times that a DateTime64(6) and the driver can hold.
var (
	earliest = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)
)

// storable returns t, or the nearest time that can be stored.
func storable(t time.Time) time.Time {
	switch {
	case t.IsZero():
		return t
	case t.Before(earliest):
		return earliest
	case t.After(latest):
		return latest
	}
	return t
}
