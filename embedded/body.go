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
	var seen bytes.Buffer
	seen.WriteString(text)
	for {
		more, err := io.CopyN(&seen, idle, 64<<10)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", statement{}, nil, readError(err)
		}
		all := seen.String()
		st := inspect(all)
		switch {
		case st.insert && st.complete, err != nil:
			return all, st, io.MultiReader(strings.NewReader(all[st.dataAt:]), idle), nil
		case int64(seen.Len()) > limit:
			return "", st, nil, newException(codeSyntax, "SYNTAX_ERROR", fmt.Sprintf("Syntax error: Max query size exceeded (it is %d bytes and more, %d are allowed)", seen.Len(), limit))
		}
		_ = more
	}
}

func readError(err error) error {
	var e *Exception
	if errors.As(err, &e) {
		return e
	}
	return newException(codeNetwork, "NETWORK_ERROR", "reading the request: "+err.Error())
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
	return b.in.Read(p)
}

// done lifts the limit: from here on the server itself watches the connection.
func (b *idleBody) done() { _ = b.http.SetReadDeadline(time.Time{}) }
