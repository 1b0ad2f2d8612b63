package report

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Tokens says a number of tokens in figures that people read at a glance: 812, 34.1 k, 3.4 M.
func Tokens(n int64) string {
	f := float64(n)
	switch a := math.Abs(f); {
	case a < 10_000:
		return Count(n)
	case a < 999_950:
		return strconv.FormatFloat(f/1e3, 'f', 1, 64) + " k"
	case a < 999_950_000:
		return strconv.FormatFloat(f/1e6, 'f', 1, 64) + " M"
	}
	return strconv.FormatFloat(f/1e9, 'f', 1, 64) + " G"
}

// Count says a whole number with its thousands apart: 3,373,076.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// USD says an amount of money in dollars and cents; under a cent it keeps two digits that say something.
func USD(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "$0.00"
	case a < 0.000_05:
		return "<$0.0001"
	case a < 0.01:
		return fmt.Sprintf("$%.4f", v)
	case a < 1000:
		return fmt.Sprintf("$%.2f", v)
	}
	return "$" + Count(int64(math.Round(v)))
}

// Percent says a ratio with one digit; a ratio that is not quite 0 or 1 is not rounded to it.
func Percent(ratio float64) string {
	switch {
	case ratio > 0 && ratio < 0.001:
		return "<0.1 %"
	case ratio < 1 && ratio > 0.999:
		return ">99.9 %"
	}
	return strconv.FormatFloat(100*ratio, 'f', 1, 64) + " %"
}

// Plural says a count and its noun: 1 call, 2 calls.
func Plural(n int64, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + one + "s"
}

// ofThem says how many of several: none, all, 3 of them.
func ofThem(n, of uint64) string {
	switch {
	case of == 1 && n == 1:
		return "which"
	case n == of:
		return "all of which"
	}
	return Count(int64(n)) + " of them"
}

// were is the verb of a number of things.
func were(n uint64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// Span says from when to when; times of one day are told by the clock, and those of two minutes by its seconds.
func Span(from, to time.Time) string {
	const day = "2006-01-02"
	clock := "15:04"
	from, to = from.UTC(), to.UTC()
	if to.Sub(from) < 2*time.Minute {
		clock = "15:04:05"
	}
	switch {
	case from.IsZero() || to.IsZero():
		return "no time"
	case from.Truncate(time.Second).Equal(to.Truncate(time.Second)):
		return from.Format(day+" "+clock) + " UTC"
	case from.Format(day) == to.Format(day):
		return from.Format(day+" "+clock) + " to " + to.Format(clock) + " UTC"
	case to.Sub(from) < 2*time.Minute:
		return from.Format(day+" "+clock) + " to " + to.Format(day+" "+clock) + " UTC"
	}
	return from.Format(day) + " to " + to.Format(day)
}

// day says the day of a time; empty where it is not known.
func day(t time.Time) string {
	if t.IsZero() || t.Unix() == 0 {
		return ""
	}
	return t.UTC().Format("2006-01-02")
}

// Took says how long something lasted.
func Took(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return d.Round(time.Second).String()
}
