package embedded

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Exception is an error as ClickHouse states it.
type Exception struct {
	// Code is ClickHouse's error number; 1002 where the text names none.
	Code int
	// Text is the whole message: "Code: N. DB::Exception: ... (NAME)".
	Text string
}

// Error returns the text as ClickHouse writes it.
func (e *Exception) Error() string { return e.Text }

// Error numbers of ClickHouse that the front itself uses.
const (
	codeNotImplemented  = 48
	codeSyntax          = 62
	codeUnknownSetting  = 115
	codeBadArguments    = 36
	codeAuthFailed      = 516
	codeTooManyQueries  = 202
	codeNetwork         = 210
	codeUnknown         = 1002
	codeCannotDecompres = 271
)

var codePattern = regexp.MustCompile(`Code: (\d+)`)

// parseException reads the error number out of the engine's text.
func parseException(text string) *Exception {
	text = strings.TrimSpace(text)
	m := codePattern.FindStringSubmatch(text)
	if m == nil {
		return newException(codeUnknown, "UNKNOWN_EXCEPTION", text)
	}
	code, err := strconv.Atoi(m[1])
	if err != nil {
		code = codeUnknown
	}
	return &Exception{Code: code, Text: text}
}

func newException(code int, name, text string) *Exception {
	return &Exception{Code: code, Text: fmt.Sprintf("Code: %d. DB::Exception: %s. (%s)", code, strings.TrimSuffix(text, "."), name)}
}

// httpStatus is the status that ClickHouse answers an error with.
func (e *Exception) httpStatus() int {
	switch e.Code {
	case codeAuthFailed, 497:
		return http.StatusForbidden
	case 46, 47, 50, 56, 60, 73, 81, codeUnknownSetting, 16:
		return http.StatusNotFound
	case 6, 26, 27, 38, 41, 42, 43, 44, 53, 33, 117, codeSyntax, codeBadArguments, codeCannotDecompres, 321, 456, 457:
		return http.StatusBadRequest
	case codeNotImplemented:
		return http.StatusNotImplemented
	case codeTooManyQueries:
		return http.StatusServiceUnavailable
	case 159:
		return http.StatusRequestTimeout
	}
	return http.StatusInternalServerError
}
