package activation

import (
	"fmt"
	"strconv"
	"strings"
)

// idRange is two numbers of as many digits, both part of it.
type idRange struct{ first, last, digits int }

const (
	// maxRange is how far apart the ends of a range are at most: wider ones are limits or amounts.
	maxRange = 1000
	// maxRanges is how many ranges are kept a conversation; past it nothing is flagged any more.
	maxRanges = 4096
	// maxRangeWords is how many words part the ends of a range: to, up to, through.
	maxRangeWords = 2
	// maxNumber is how many digits a number of a range has, and one that another comes after.
	maxNumber = 18
)

// span finds ranges in a text: 100041 to 100044, INV-10041..10044, between 10041 and 10044, 100041-100044. Two numbers are one where one or two
// words or a sign other than a comma part them, whatever the language.
type span struct {
	number string
	words  int
	sign   bool
}

// part takes a byte that is of no run.
func (s *span) part(c byte) {
	switch {
	case c == '.' || c == '~' || c == '>' || c >= 0x80:
		s.sign = true
	case c != ' ' && c != '#':
		s.number = ""
	}
}

// add takes a run, and returns the range that it ends.
func (s *span) add(run string) (idRange, bool) {
	if !hasDigit(run) {
		if s.words++; s.words > maxRangeWords {
			s.number = ""
		}
		return idRange{}, false
	}
	first := s.number
	if s.words == 0 && !s.sign {
		first = ""
	}
	before, last, _ := lastNumber(run)
	if _, glued, ok := lastNumber(strings.TrimRight(before, "-")); ok && strings.HasSuffix(before, "-") {
		first = glued
	}
	*s = span{number: last}
	return rangeOf(first, last)
}

// rangeOf makes a range of two numbers, where they can be one.
func rangeOf(first, last string) (r idRange, ok bool) {
	if first == "" || len(first) != len(last) {
		return r, false
	}
	r.digits = len(first)
	r.first, _ = strconv.Atoi(first)
	r.last, _ = strconv.Atoi(last)
	return r, r.last > r.first && r.last-r.first <= maxRange
}

func (t *IDs) addRange(r idRange) {
	switch {
	case t.blind:
	case len(t.ranges) >= maxRanges:
		t.goBlind()
	default:
		t.ranges = append(t.ranges, r)
	}
}

// inRange reports that a number lies in a range of numbers of as many digits.
func (t *IDs) inRange(number string) bool {
	n, _ := strconv.Atoi(number)
	for _, r := range t.ranges {
		if len(number) == r.digits && n >= r.first && n <= r.last {
			return true
		}
	}
	return false
}

// lastNumber takes off the number that an id ends with, one that is long enough to be no count.
func lastNumber(id string) (before, number string, ok bool) {
	at := len(id)
	for at > 0 && isDigit(id[at-1]) {
		at--
	}
	if n := len(id) - at; n < minPrefixNumber || n > maxNumber {
		return id, "", false
	}
	return id[:at], id[at:], true
}

// numberBeside returns the number that comes so many after this one, with the zeros before it.
func numberBeside(number string, by int) string {
	n, _ := strconv.Atoi(number)
	return fmt.Sprintf("%0*d", len(number), n+by)
}

// seePowers remembers numbers that are written with a power of ten, as programs write large ones: 1.2345678e+07.
func (t *IDs) seePowers(text string) {
	for from := 0; ; {
		at := strings.IndexAny(text[from:], "eE")
		if at < 0 {
			return
		}
		at += from
		from = at + 1
		if at > 0 && isDigit(text[at-1]) {
			if number := powerAt(text, at); number != "" {
				t.add(number)
			}
		}
	}
}

// powerAt returns the digits of the number whose e stands there; empty where it is none, or too long.
func powerAt(text string, e int) string {
	start := e
	for start > 0 && e-start <= maxNumber && isDigit(text[start-1]) {
		start--
	}
	if start < 2 || text[start-1] != '.' || !isDigit(text[start-2]) || start > 2 && isAlnum(text[start-3]) {
		return ""
	}
	end := e + 1
	if end < len(text) && text[end] == '+' {
		end++
	}
	from := end
	for end < len(text) && end-from < 2 && isDigit(text[end]) {
		end++
	}
	power, err := strconv.Atoi(text[from:end])
	decimals := text[start:e]
	if err != nil || power < len(decimals) || power >= maxNumber {
		return ""
	}
	return text[start-2:start-1] + decimals + strings.Repeat("0", power-len(decimals))
}
