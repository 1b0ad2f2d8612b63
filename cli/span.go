package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// errSpan says how to write a span of time.
var errSpan = errors.New("want a number and its unit, such as 5m, 24h or 7d")

// day is a unit that Go's own durations don't have.
const day = 24 * time.Hour

// parseSpan reads a span of time: numbers with s, m, h (1h30m), or days (7d). A bare number says no unit and is refused, but for 0.
func parseSpan(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || !(n >= 0 && n <= 1e5) { // NaN is neither
			return 0, errSpan
		}
		return time.Duration(n * float64(day)), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, errSpan
	}
	return d, nil
}

// saySpan writes a span as parseSpan reads it, without units that are zero.
func saySpan(d time.Duration) string {
	if d >= 2*day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// span is a flag of a span of time.
type span struct{ to *time.Duration }

// Set reads the flag.
func (s span) Set(text string) (err error) {
	*s.to, err = parseSpan(text)
	return err
}

// String says the value.
func (s span) String() string {
	if s.to == nil {
		return ""
	}
	return saySpan(*s.to)
}

// Type is what help calls the value.
func (s span) Type() string { return "duration" }

// spanVar declares a flag of a span of time.
func spanVar(fs *pflag.FlagSet, to *time.Duration, name string, value time.Duration, usage string) {
	*to = value
	fs.Var(span{to}, name, usage)
}

// oneOf checks that a flag is one of some words, or empty.
func oneOf(flag, value string, words []string) error {
	if value == "" {
		return nil
	}
	for _, w := range words {
		if w == value {
			return nil
		}
	}
	return usageError{fmt.Errorf("--%s %q: want one of %s", flag, value, strings.Join(words, ", "))}
}
