package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// readStatement reads the statement's text: the URL's part, a line break, the
// body. Of an insert it reads no further than it must, and returns the reader
// of its data.
func readStatement(q *request, limit int64, idle *idleBody) (string, statement, io.Reader, error) {
	idle.in = q.body
	text := q.query
	if text != "" {
		text += "\n"
		if st := inspect(text); st.insert && st.complete {
			return text, st, io.MultiReader(strings.NewReader(text[st.dataAt:]), idle), nil
		}
	}
	return readMore(text, idle, limit)
}

// readMore reads the body until it is settled what it is. It reads twice as
// much each time, so that long texts are not looked at too often.
func readMore(text string, body io.Reader, limit int64) (string, statement, io.Reader, error) {
	var seen bytes.Buffer
	seen.WriteString(text)
	for step := int64(64 << 10); ; step = int64(seen.Len()) {
		_, err := io.CopyN(&seen, body, step)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", statement{}, nil, dataError(err)
		}
		all := seen.String()
		if st := inspect(all); err != nil || st.insert && st.complete {
			return all, st, io.MultiReader(strings.NewReader(all[st.dataAt:]), body), nil
		}
		if int64(len(all)) > limit {
			return "", statement{}, nil, newException(codeSyntax, "SYNTAX_ERROR",
				fmt.Sprintf("Syntax error: Max query size exceeded (it is over %d bytes)", limit))
		}
	}
}

// idleBody reads a request's body and gives up when the client falls silent.
type idleBody struct {
	in    io.Reader
	http  *http.ResponseController
	limit time.Duration
}

func newIdleBody(w http.ResponseWriter, limit time.Duration) *idleBody {
	return &idleBody{http: http.NewResponseController(w), limit: limit}
}

// Read is part of io.Reader.
func (b *idleBody) Read(p []byte) (int, error) {
	_ = b.http.SetReadDeadline(time.Now().Add(b.limit)) // where it can't be set, there is no limit
	n, err := b.in.Read(p)
	if err != nil {
		b.done()
	}
	return n, err
}

// done lifts the limit: from here on the server itself watches the connection.
func (b *idleBody) done() { _ = b.http.SetReadDeadline(time.Time{}) }
