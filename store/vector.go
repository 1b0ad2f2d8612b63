package store

import (
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/google/uuid"
)

// vector is one column of a [block]. It takes values as a column of the driver's batch does.
type vector interface {
	driver.BatchColumn
	reset()
	encode(*proto.Buffer)
}

// newVector returns a vector for a type that columns are sent in. It panics on any other: the types are constants of this package.
func newVector(wire string) vector {
	if element, ok := strings.CutPrefix(wire, "Array("); ok {
		return newLists(strings.TrimSuffix(element, ")"))
	}
	switch wire {
	case "String":
		return &values[string]{col: new(proto.ColStr)}
	case "UInt32":
		return &values[uint32]{col: new(proto.ColUInt32)}
	case "UInt64":
		return &values[uint64]{col: new(proto.ColUInt64)}
	case "Int64":
		return &values[int64]{col: new(proto.ColInt64)}
	case "Float64":
		return &values[float64]{col: new(proto.ColFloat64)}
	case "Bool":
		return &values[bool]{col: new(proto.ColBool)}
	case "Date":
		return &values[time.Time]{col: new(proto.ColDate)}
	case "DateTime64(3, 'UTC')":
		return &values[time.Time]{col: new(proto.ColDateTime64).WithPrecision(proto.PrecisionMilli)}
	case "DateTime64(6, 'UTC')":
		return &values[time.Time]{col: new(proto.ColDateTime64).WithPrecision(proto.PrecisionMicro)}
	case "UUID":
		return &values[uuid.UUID]{col: new(proto.ColUUID)}
	case "Nullable(UInt64)":
		return &nullables[uint64]{values: new(proto.ColUInt64)}
	case "Nullable(Float64)":
		return &nullables[float64]{values: new(proto.ColFloat64)}
	}
	panic("store: no vector for " + wire)
}

func newLists(element string) vector {
	switch element {
	case "String":
		return &lists[string]{values: new(proto.ColStr)}
	case "Int64":
		return &lists[int64]{values: new(proto.ColInt64)}
	case "Bool":
		return &lists[bool]{values: new(proto.ColBool)}
	}
	panic("store: no vector for an array of " + element)
}

// values is a column with a value a row.
type values[T any] struct{ col proto.ColumnOf[T] }

// Append takes a []T.
func (v *values[T]) Append(a any) error {
	s, ok := a.([]T)
	if !ok {
		return mistyped[[]T](a)
	}
	v.col.AppendArr(s)
	return nil
}

// AppendRow takes a T.
func (v *values[T]) AppendRow(a any) error {
	x, ok := a.(T)
	if !ok {
		return mistyped[T](a)
	}
	v.col.Append(x)
	return nil
}

func (v *values[T]) reset()                 { v.col.Reset() }
func (v *values[T]) encode(b *proto.Buffer) { v.col.EncodeColumn(b) }

// nullables is a column with a value or NULL a row.
type nullables[T any] struct {
	nulls  proto.ColUInt8
	values proto.ColumnOf[T]
}

// Append takes a []*T.
func (v *nullables[T]) Append(a any) error {
	s, ok := a.([]*T)
	if !ok {
		return mistyped[[]*T](a)
	}
	for _, p := range s {
		v.add(p)
	}
	return nil
}

// AppendRow takes a *T.
func (v *nullables[T]) AppendRow(a any) error {
	p, ok := a.(*T)
	if !ok {
		return mistyped[*T](a)
	}
	v.add(p)
	return nil
}

func (v *nullables[T]) add(p *T) {
	if p == nil {
		var zero T
		v.nulls = append(v.nulls, 1)
		v.values.Append(zero)
		return
	}
	v.nulls = append(v.nulls, 0)
	v.values.Append(*p)
}

func (v *nullables[T]) reset() {
	v.nulls.Reset()
	v.values.Reset()
}

func (v *nullables[T]) encode(b *proto.Buffer) {
	v.nulls.EncodeColumn(b)
	v.values.EncodeColumn(b)
}

// lists is a column with an array a row.
type lists[T any] struct {
	ends   proto.ColUInt64
	values proto.ColumnOf[T]
}

// Append takes a [][]T.
func (v *lists[T]) Append(a any) error {
	s, ok := a.([][]T)
	if !ok {
		return mistyped[[][]T](a)
	}
	for _, l := range s {
		v.add(l)
	}
	return nil
}

// AppendRow takes a []T.
func (v *lists[T]) AppendRow(a any) error {
	l, ok := a.([]T)
	if !ok {
		return mistyped[[]T](a)
	}
	v.add(l)
	return nil
}

func (v *lists[T]) add(l []T) {
	v.values.AppendArr(l)
	v.ends = append(v.ends, uint64(v.values.Rows())) //nolint:gosec // a length
}

func (v *lists[T]) reset() {
	v.ends.Reset()
	v.values.Reset()
}

func (v *lists[T]) encode(b *proto.Buffer) {
	v.ends.EncodeColumn(b)
	v.values.EncodeColumn(b)
}

// mistyped is the error for values that a column does not take. It names their type alone.
func mistyped[T any](a any) error {
	var want T
	return fmt.Errorf("append values: have %T, want %T", a, want)
}
