package events

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of what the schemas accept.
const (
	// maxSmall bounds ordinary numbers, so that they fit 32 bits.
	maxSmall = 1<<32 - 1
	// maxCount bounds counts, so that every language's JSON numbers hold them exactly.
	maxCount = 1<<53 - 1
	// maxAmount bounds seconds and US dollars.
	maxAmount = 1_000_000_000

	firstYear, lastYear = 1970, 2199
)

// Validate reports something that the event's JSON Schema would refuse, as an [*Error].
func (e *Event) Validate() error {
	if err := e.check(); err != nil {
		return err
	}
	return nil
}

func (e *Event) check() *Error {
	if e.Data == nil {
		return &Error{"/data", "missing"}
	}
	err := first(uuid("/id", e.ID), required("/source", e.Source), someTime("/time", e.Time))
	if err != nil {
		return err
	}
	c, ok := e.Data.(interface{ check() *Error })
	if !ok {
		return &Error{"/type", "not an event type of this version"}
	}
	if err := e.Data.Common().check(); err != nil {
		return err
	}
	return c.check()
}

func (c *Context) check() *Error { return between("/data/turn", c.Turn, maxSmall) }

// first returns the first error there is.
func first(errs ...*Error) *Error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// each checks the items of a list and puts the item's place before the path of its error.
func each[T any](path string, items []T, check func(*T) *Error) *Error {
	for i := range items {
		if err := check(&items[i]); err != nil {
			return &Error{path + "/" + strconv.Itoa(i) + err.Path, err.Reason}
		}
	}
	return nil
}

func required(path, s string) *Error {
	if s == "" {
		return &Error{path, "missing"}
	}
	return nil
}

func oneOf(path string, ok bool) *Error {
	if !ok {
		return &Error{path, "not one of its values"}
	}
	return nil
}

func between(path string, n, most int64) *Error {
	if n < 0 || n > most {
		return &Error{path, "not between 0 and " + strconv.FormatInt(most, 10)}
	}
	return nil
}

func tokens(path string, c Count) *Error { return between(path, c.N, maxCount) }

func amount(path string, v float64) *Error {
	if v >= 0 && v <= maxAmount {
		return nil
	}
	return &Error{path, "not between 0 and " + strconv.Itoa(maxAmount)}
}

func someTime(path string, t time.Time) *Error {
	if t.IsZero() {
		return &Error{path, "missing"}
	}
	if y := t.Year(); y < firstYear || y > lastYear {
		return &Error{path, "not between the years 1970 and 2199"}
	}
	return nil
}

func object(path string, v jsontext.Value) *Error {
	if v.Kind() != jsontext.KindBeginObject {
		return &Error{path, "want an object"}
	}
	return nil
}

func uuid(path, s string) *Error {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' ||
		!hexDigits(s[:8], true) || !hexDigits(s[9:13], true) || !hexDigits(s[14:18], true) || !hexDigits(s[19:23], true) || !hexDigits(s[24:], true) {
		return &Error{path, "not a UUID"}
	}
	return nil
}

func shortDigest(path, s string) *Error { return digest(path, s, len(s) == 2*shortBytes) }

func fullDigest(path, s string) *Error { return digest(path, s, len(s) == 4*shortBytes) }

func anyDigest(path, s string) *Error {
	return digest(path, s, len(s) == 2*shortBytes || len(s) == 4*shortBytes)
}

// optional lets the empty string pass a check.
func optional(check func(path, s string) *Error, path, s string) *Error {
	if s == "" {
		return nil
	}
	return check(path, s)
}

func digest(path, s string, rightLength bool) *Error {
	switch {
	case s == "":
		return &Error{path, "missing"}
	case !rightLength || !hexDigits(s, false):
		return &Error{path, "not a digest in lower-case hex of its length"}
	}
	return nil
}

func shortItem(s *string) *Error { return shortDigest("", *s) }

// messageItem checks the digest of a message, or of the oldest messages of a long list: chain:N:DIGEST.
func messageItem(s *string) *Error {
	rest, folded := strings.CutPrefix(*s, "chain:")
	if !folded {
		return shortItem(s)
	}
	n, digest, _ := strings.Cut(rest, ":")
	if len(n) == 0 || len(n) > 9 || n[0] == '0' || strings.Trim(n, "0123456789") != "" {
		return &Error{"", "not a number of messages"}
	}
	return shortDigest("", digest)
}

func hexDigits(s string, upper bool) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (!upper || c < 'A' || c > 'F') {
			return false
		}
	}
	return true
}
