package panels

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Expand returns a query with its macros and variables replaced, as Grafana and its ClickHouse data source replace them:
//
//	$__timeFilter(column)              column >= from AND column < to
//	$__timeInterval(column)            the start of the point that a moment lies in
//	$__fromTime, $__toTime             the ends of the window
//	$__interval_s                      the width of a point in seconds
//	$__conditionalAll(condition, $v)   the condition, or 1=1 where the variable v does not narrow
//	${v:percentencode}                 the variable's value, percent-encoded
//
// Values come in that one form alone: it has no quote and no backslash, so that none ends the string that it stands in, and decodeURLComponent
// gives the value back. Unlike Grafana, which cuts the window to seconds, it is exact, and its end exclusive.
// The error names what could not be replaced.
func Expand(sql string, s Scope) (string, error) {
	if err := s.Validate(); err != nil {
		return "", err
	}
	e := expander{scope: s}
	if err := e.expand(sql); err != nil {
		return "", fmt.Errorf("expand query: %w", err)
	}
	return e.out.String(), nil
}

type expander struct {
	scope Scope
	out   strings.Builder
}

// expand writes a text with what begins with $ replaced.
func (e *expander) expand(text string) error {
	for {
		before, after, found := strings.Cut(text, "$")
		e.out.WriteString(before)
		if !found {
			return nil
		}
		var err error
		if text, err = e.replace(after); err != nil {
			return err
		}
	}
}

// replace writes what stands for the macro or variable that a text begins with, and returns the text after it.
func (e *expander) replace(text string) (rest string, err error) {
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		return e.variable(inner)
	}
	n := nameLength(text)
	name, rest := text[:n], text[n:]
	if constant, ok := e.constant(name); ok {
		e.out.WriteString(constant)
		return rest, nil
	}
	args, rest, err := arguments(rest)
	if err != nil {
		return "", fmt.Errorf("$%s: %w", name, err)
	}
	return rest, e.macro(name, args)
}

// variable writes the value of a variable, of whose braces the first is read.
func (e *expander) variable(text string) (rest string, err error) {
	inner, rest, found := strings.Cut(text, "}")
	name, format, _ := strings.Cut(inner, ":")
	value, known := e.scope.Get(name)
	switch {
	case !found:
		return "", fmt.Errorf("${%.20s: no closing brace", text)
	case !known:
		return "", fmt.Errorf("${%s}: no such variable", inner)
	case format != "percentencode":
		return "", fmt.Errorf("${%s}: the format must be percentencode, which can't leave its quotes", inner)
	}
	e.out.WriteString(percentEncode(value))
	return rest, nil
}

// constant is what a macro without arguments stands for.
func (e *expander) constant(name string) (string, bool) {
	switch name {
	case "__fromTime":
		return moment(e.scope.From), true
	case "__toTime":
		return moment(e.scope.To), true
	case "__interval_s":
		return strconv.FormatInt(e.step(), 10), true
	}
	return "", false
}

// macro writes what a macro with arguments stands for.
func (e *expander) macro(name string, args []string) error {
	want := 1
	if name == "__conditionalAll" {
		want = 2
	}
	if len(args) != want {
		return fmt.Errorf("$%s: %d arguments, want %d", name, len(args), want)
	}
	switch name {
	case "__timeFilter":
		fmt.Fprintf(&e.out, "%s >= %s AND %s < %s", args[0], moment(e.scope.From), args[0], moment(e.scope.To))
	case "__timeInterval":
		fmt.Fprintf(&e.out, "toStartOfInterval(toDateTime(%s), INTERVAL %d second)", args[0], e.step())
	case "__conditionalAll":
		return e.conditional(args[0], args[1])
	default:
		return fmt.Errorf("$%s: no such macro", name)
	}
	return nil
}

func (e *expander) conditional(condition, variable string) error {
	name, ok := strings.CutPrefix(variable, "$")
	value, known := e.scope.Get(name)
	if !ok || !known {
		return fmt.Errorf("$__conditionalAll: %q is no variable", variable)
	}
	if value == "" {
		e.out.WriteString("1=1")
		return nil
	}
	return e.expand(condition)
}

func (e *expander) step() int64 { return int64(e.scope.Step() / time.Second) }

// moment is a time as a literal, to the microsecond.
func moment(t time.Time) string {
	return fmt.Sprintf("fromUnixTimestamp64Micro(%d, 'UTC')", t.UnixMicro())
}

// nameLength is how much of a text's beginning is letters, digits and underscores.
func nameLength(text string) int {
	for i := range len(text) {
		if c := text[i]; c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return i
		}
	}
	return len(text)
}

// arguments reads a macro's arguments, split at the commas that are in no brackets within them.
func arguments(text string) (args []string, rest string, err error) {
	if !strings.HasPrefix(text, "(") {
		return nil, "", fmt.Errorf("no arguments")
	}
	depth, from := 0, 1
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(':
			depth++
		case c == ')' && depth == 1:
			return append(args, strings.TrimSpace(text[from:i])), text[i+1:], nil
		case c == ')':
			depth--
		case c == ',' && depth == 1:
			args, from = append(args, strings.TrimSpace(text[from:i])), i+1
		}
	}
	return nil, "", fmt.Errorf("no closing bracket")
}

// percentEncode leaves letters, digits and -_.~ as they are, and writes the other bytes as %XX.
func percentEncode(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if n := nameLength(s[i : i+1]); n == 1 || c == '-' || c == '.' || c == '~' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
