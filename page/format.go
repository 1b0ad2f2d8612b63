package page

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/panels"
)

// unknown is shown for what is not known.
const unknown = "–"

// number is a value as a number; ok is false for what is none.
func number(v any) (n float64, ok bool) {
	if v == nil {
		return 0, false
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return float64(r.Int()), true
	case r.CanUint():
		return float64(r.Uint()), true
	case r.CanFloat():
		n = r.Float()
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	case r.Kind() == reflect.Bool:
		if r.Bool() {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// text is a value that is no number in words; lists are joined and cut.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case time.Time:
		return timeText(v)
	case []string:
		return listText(v)
	case fmt.Stringer:
		return v.String()
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice {
		return fmt.Sprint(v)
	}
	parts := make([]string, r.Len())
	for i := range parts {
		parts[i] = fmt.Sprint(r.Index(i).Interface())
	}
	return listText(parts)
}

func listText(all []string) string {
	if more := len(all) - maxInList; more > 0 {
		return strings.Join(all[:maxInList], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(all, ", ")
}

// timeText is a time for readers without scripts.
func timeText(t time.Time) string {
	if t.Unix() <= 0 {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// format writes a number in its unit.
func format(u panels.Unit, n float64) string {
	switch u {
	case panels.Ratio:
		return percent(n)
	case panels.Multiple:
		return strconv.FormatFloat(n, 'f', 1, 64) + "×"
	case panels.USD:
		return dollars(n)
	case panels.Seconds:
		return seconds(n)
	case panels.Bytes:
		return bytesText(n)
	case panels.Text, panels.Count, panels.Tokens, panels.Time, panels.Severity:
	}
	return count(n)
}

// percent writes a ratio with as many digits as tell it from none, and never 5 % for what is over 5 %.
func percent(n float64) string {
	p := n * 100
	digits := 1
	switch {
	case p != 0 && math.Abs(p) < 0.1:
		digits = 3
	case math.Abs(p) < 10:
		digits = 2
	}
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(p, 'f', digits, 64), "0"), ".") + " %"
}

func dollars(n float64) string {
	digits := 2
	if n != 0 && math.Abs(n) < 1 {
		digits = 4
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return sign + "$" + grouped(strconv.FormatFloat(n, 'f', digits, 64))
}

// seconds writes a span in its largest unit.
func seconds(n float64) string {
	a := math.Abs(n)
	switch {
	case a == 0:
		return "0 s"
	case a < 1:
		return trim(n*1000) + " ms"
	case a < 120:
		return trim(n) + " s"
	case a < 2*3600:
		return trim(n/60) + " min"
	case a < 48*3600:
		return trim(n/3600) + " h"
	}
	return trim(n/86400) + " d"
}

func bytesText(n float64) string {
	for _, u := range []string{"B", "KiB", "MiB", "GiB"} {
		if math.Abs(n) < 1024 {
			return trim(n) + " " + u
		}
		n /= 1024
	}
	return trim(n) + " TiB"
}

// trim writes a number with at most one digit after the point.
func trim(n float64) string { return strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0") }

// count writes a number with its thousands apart; one that is not whole has two digits after the point.
func count(n float64) string {
	if n == math.Trunc(n) {
		return grouped(strconv.FormatFloat(n, 'f', 0, 64))
	}
	return grouped(strconv.FormatFloat(n, 'f', 2, 64))
}

// grouped sets commas between thousands.
func grouped(s string) string {
	whole, rest, _ := strings.Cut(s, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		rest = "." + rest
	}
	return sign + whole + rest
}
