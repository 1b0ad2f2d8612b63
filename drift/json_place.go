package drift

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// SyntaxPlace says where in a text the error of a JSON decoder is: its line and column in bytes, both from 1. A text that ends too
// early is wrong at its end.
func SyntaxPlace(text []byte, err error) string {
	at := int64(len(text))
	var e *jsontext.SyntacticError
	if errors.As(err, &e) && !errors.Is(err, io.ErrUnexpectedEOF) {
		at = min(e.ByteOffset, at)
	}
	before := text[:at]
	place := fmt.Sprintf("at line %d, column %d", bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n'))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		place += ", where it ends too early"
	}
	return place
}
