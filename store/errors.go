package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Error is what every method of [DB] returns when the store refuses or can't be reached. Its text names the step and the server's error
// code; it never quotes values of rows.
type Error struct {
	// Op is what was tried, verb first.
	Op string
	// Code is the server's error code, 0 when the server did not answer.
	Code int32
	// Reason says in a few words what was wrong.
	Reason string
	// permanent is what Permanent reports.
	permanent bool
	cause     error
}

// Error gives the step, the code and the reason.
func (e *Error) Error() string {
	if e.Code == 0 {
		return e.Op + ": " + e.Reason
	}
	return fmt.Sprintf("%s: server error %d: %s", e.Op, e.Code, e.Reason)
}

// Permanent reports that trying the same again can't succeed: the rows or the query are at fault, not the server's state.
func (e *Error) Permanent() bool { return e.permanent }

// Unwrap returns the cause where that is an error of the context, so that errors.Is finds it. The server's own error stays hidden,
// since its text quotes values.
func (e *Error) Unwrap() error { return e.cause }

// permanentCodes are the server's errors that lie in what was sent. All others (too many parts, memory, read-only, a missing table
// that a migration is about to make) may pass.
var permanentCodes = []int32{
	6,   // CANNOT_PARSE_TEXT
	7,   // INCORRECT_NUMBER_OF_COLUMNS
	9,   // SIZES_OF_COLUMNS_DOESNT_MATCH
	10,  // NOT_FOUND_COLUMN_IN_BLOCK
	16,  // NO_SUCH_COLUMN_IN_TABLE
	26,  // CANNOT_PARSE_QUOTED_STRING
	27,  // CANNOT_PARSE_INPUT_ASSERTION_FAILED
	38,  // CANNOT_PARSE_DATE
	41,  // CANNOT_PARSE_DATETIME
	43,  // ILLEGAL_TYPE_OF_ARGUMENT
	44,  // ILLEGAL_COLUMN
	46,  // UNKNOWN_FUNCTION
	47,  // UNKNOWN_IDENTIFIER
	53,  // TYPE_MISMATCH
	62,  // SYNTAX_ERROR
	70,  // CANNOT_CONVERT_TYPE
	117, // INCORRECT_DATA
	190, // SIZES_OF_ARRAYS_DONT_MATCH
}

// permanent returns an Error for rows or arguments that are at fault.
func permanent(op, reason string) *Error { return &Error{Op: op, Reason: reason, permanent: true} }

// wrap turns the driver's error into an [*Error], and nil into nil.
func wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return err
	}
	for _, c := range []error{context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, c) {
			return &Error{Op: op, Reason: c.Error(), cause: c}
		}
	}
	var ex *clickhouse.Exception
	if errors.As(err, &ex) {
		return &Error{Op: op, Code: ex.Code, Reason: codeName(ex), permanent: slices.Contains(permanentCodes, ex.Code)}
	}
	return &Error{Op: op, Reason: reason(err)}
}
