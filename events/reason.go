package events

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// What is wrong with a line as a whole.
const (
	reasonSpread = "one event a line: this JSON is spread over several lines"
	reasonArray  = "one event a line, not an array"
	reasonJoined = "more after the event on this line; with curl use --data-binary"
	reasonComma  = "one event a line, without a comma after it"
	reasonMark   = "not JSON: starts with a byte order mark"
)

// misplaced explains a line that is not one JSON object: an array, a piece of a larger value, or several of them. It returns
// nil for an object, and for what is no JSON at all.
func misplaced(line []byte) error {
	if bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
		return &Error{Reason: reasonMark}
	}
	line = bytes.TrimSpace(line)
	switch {
	case bytes.HasPrefix(line, []byte("[")):
		return &Error{Reason: reasonArray}
	case string(line) != "{}" && len(bytes.Trim(line, "{}],")) == 0:
		return &Error{Reason: reasonSpread}
	}
	dec := jsontext.NewDecoder(bytes.NewReader(line))
	kind := dec.PeekKind()
	if err := dec.SkipValue(); err != nil {
		return nil // the parser says where
	}
	rest := bytes.TrimSpace(line[dec.InputOffset():])
	if kind != jsontext.KindBeginObject {
		return notObject(kind, rest)
	}
	return after(rest)
}

// after explains what follows an object on its line.
func after(rest []byte) error {
	switch {
	case len(rest) == 0:
		return nil
	case string(rest) == ",":
		return &Error{Reason: reasonComma}
	}
	return &Error{Reason: reasonJoined}
}

// notObject explains a value that is no event; a name and a colon are a piece of one.
func notObject(kind jsontext.Kind, rest []byte) error {
	switch {
	case kind == jsontext.KindString && bytes.HasPrefix(rest, []byte(":")), string(rest) == ",":
		return &Error{Reason: reasonSpread}
	case len(rest) > 0:
		return nil
	}
	return &Error{Reason: "expected object, but got " + kind.String()}
}

// syntaxError turns the JSON library's error into one that names the place and quotes nothing.
func syntaxError(err error) *Error {
	var sem *json.SemanticError
	if errors.As(err, &sem) {
		reason := "wrong type"
		if sem.JSONKind != 0 {
			reason = "wrong type, have " + sem.JSONKind.String()
		}
		return &Error{Path: string(sem.JSONPointer), Reason: reason}
	}
	var syn *jsontext.SyntacticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return &Error{Reason: "not JSON: an object names a member twice"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Reason: "not JSON: cut short"}
	case errors.As(err, &syn):
		return &Error{Path: string(syn.JSONPointer), Reason: fmt.Sprintf("not JSON at byte %d", syn.ByteOffset)}
	}
	return &Error{Reason: "not JSON"}
}

// explain turns a schema's error into the first place that is wrong, and a reason that quotes no value.
func explain(invalid *jsonschema.ValidationError) *Error {
	leaves := leavesOf(invalid, nil)
	at := slices.MinFunc(leaves, func(a, b *jsonschema.ValidationError) int {
		return strings.Compare(a.InstanceLocation+"\x00"+a.KeywordLocation, b.InstanceLocation+"\x00"+b.KeywordLocation)
	})
	keyword := path.Base(at.KeywordLocation)
	if keyword == "required" {
		if _, names, ok := strings.Cut(at.Message, "'"); ok {
			name, _, _ := strings.Cut(names, "'")
			return &Error{at.InstanceLocation + "/" + name, "missing"}
		}
	}
	return &Error{at.InstanceLocation, reasonFor(keyword, at.Message)}
}

// reasonFor words what a schema's keyword asks for. The messages of format, minimum and maximum quote the value.
func reasonFor(keyword, message string) string {
	switch keyword {
	case "type", "enum", "const":
		return message
	case "pattern":
		return patternReason(message)
	case "format":
		return formatReason(message)
	case "minimum":
		return "under the minimum of " + bound(message)
	case "maximum":
		return "over the maximum of " + bound(message)
	case "minLength":
		return "empty"
	}
	return "against the schema: " + keyword
}

// formatReason names the format, which is the last word of the message.
func formatReason(message string) string {
	switch name := message[strings.LastIndexByte(message, ' ')+1:]; name {
	case "'uuid'":
		return "not a UUID"
	case "'date-time'":
		return "not an RFC 3339 time"
	}
	return "not in the right format"
}

// patternReason says in words what the schemas' patterns ask for.
func patternReason(message string) string {
	_, pattern, _ := strings.Cut(message, "'")
	switch pattern = strings.TrimSuffix(pattern, "'"); {
	case strings.HasPrefix(pattern, "^(19[7-9]"):
		return "not an RFC 3339 time from 1970 to 2199 with a capital T and Z, without leap seconds"
	case strings.HasPrefix(pattern, "^(chain:"):
		return "not a digest of 32 lower-case hex digits, nor chain:N: and one"
	case strings.Contains(pattern, "{32}|"):
		return "not a digest of 32 or 64 lower-case hex digits"
	case strings.Contains(pattern, "{32}"):
		return "not a digest of 32 lower-case hex digits"
	case strings.Contains(pattern, "{64}"):
		return "not a digest of 64 lower-case hex digits"
	}
	return "not of the pattern that the schema asks for"
}

// bound takes the limit out of a message such as "must be >= 0 but found -1".
func bound(message string) string {
	for _, word := range strings.Fields(message) {
		if limit, err := strconv.ParseFloat(word, 64); err == nil {
			return strconv.FormatFloat(limit, 'f', -1, 64)
		}
	}
	return "the schema"
}

func leavesOf(e *jsonschema.ValidationError, to []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(to, e)
	}
	for _, c := range e.Causes {
		to = leavesOf(c, to)
	}
	return to
}
