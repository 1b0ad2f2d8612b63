package panels_test

import (
	"fmt"
	"math"
	"reflect"
)

// only reads columns of the one row.
func only(columns ...string) func([]map[string]any) figures { return sum(columns...) }

// sum adds up columns of all rows.
func sum(columns ...string) func([]map[string]any) figures {
	return func(rows []map[string]any) figures {
		f := figures{}
		for _, row := range rows {
			for _, c := range columns {
				f[c] += number(row[c])
			}
		}
		return f
	}
}

// sumBy adds up a column of all rows by another one's value; the column one counts rows.
func sumBy(key, column string) func([]map[string]any) figures {
	return func(rows []map[string]any) figures {
		f := figures{}
		for _, row := range rows {
			if column == "one" {
				row[column] = 1
			}
			f[fmt.Sprint(row[key])] += number(row[column])
		}
		return f
	}
}

// by reads columns of each row, named by the values of keys.
func by(keys []string, columns ...string) func([]map[string]any) figures {
	return func(rows []map[string]any) figures {
		f := figures{}
		for _, row := range rows {
			name := ""
			for _, k := range keys {
				name += fmt.Sprint(row[k]) + " "
			}
			for _, c := range columns {
				f[name+c] += number(row[c])
			}
		}
		return f
	}
}

func countRows(rows []map[string]any) figures { return figures{"rows": float64(len(rows))} }

// number is a value of whatever type as a number, and 0 of nil.
func number(v any) float64 {
	if v == nil {
		return 0
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return float64(r.Int())
	case r.CanUint():
		return float64(r.Uint())
	case r.CanFloat():
		return r.Float()
	}
	return math.NaN()
}
