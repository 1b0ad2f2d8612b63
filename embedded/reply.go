package embedded

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/ClickHouse/ch-go/compress"
)

// reply sends a result. Until its first byte is out an error can still have
// its status; after it, the error goes where ClickHouse puts it: behind the data.
type reply struct {
	http    http.ResponseWriter
	q       *request
	sink    io.Writer
	gzip    *gzip.Writer
	held    bytes.Buffer // of a result that is sent at its end
	started bool
	tag     string
}

func newReply(w http.ResponseWriter, q *request, e *Engine) *reply {
	h := w.Header()
	h.Set("X-ClickHouse-Query-Id", q.queryID)
	h.Set("X-ClickHouse-Server-Display-Name", displayName)
	h.Set("X-ClickHouse-Timezone", e.timezone)
	h.Set("Content-Type", "text/plain; charset=UTF-8")
	return &reply{http: w, q: q, tag: rand.Text()[:16]}
}

// format names the format of the result.
func (o *reply) format(name string) { o.http.Header().Set("X-ClickHouse-Format", name) }

// wrote says how many rows an insert stored.
func (o *reply) wrote(rows uint64) {
	o.http.Header().Set("X-ClickHouse-Summary", `{"written_rows":"`+strconv.FormatUint(rows, 10)+`"}`)
}

// Write is part of io.Writer.
func (o *reply) Write(p []byte) (int, error) {
	if o.q.buffered {
		return o.held.Write(p)
	}
	return o.send(p)
}

func (o *reply) send(p []byte) (int, error) {
	if !o.started {
		o.start()
	}
	return o.sink.Write(p)
}

func (o *reply) start() {
	o.started = true
	o.http.Header().Set("X-ClickHouse-Exception-Tag", o.tag)
	o.sink = o.http
	if o.q.gzip {
		o.http.Header().Set("Content-Encoding", "gzip")
		o.gzip = gzip.NewWriter(o.sink)
		o.sink = o.gzip
	}
	if o.q.compressed {
		o.sink = newFrameWriter(o.sink, o.q.compress)
	}
}

// finish ends the reply with the outcome of the statement.
func (o *reply) finish(err error) {
	if err == nil && o.held.Len() > 0 {
		_, err = o.send(o.held.Bytes())
	}
	switch {
	case err != nil && !o.started:
		writeError(o.http, err)
	case err != nil:
		o.breakOff(err)
	case o.gzip != nil:
		o.gzip.Close()
	}
}

// breakOff puts the error behind the data that was sent, framed as ClickHouse
// does it, and cuts the connection so that no client takes the result for whole.
func (o *reply) breakOff(err error) {
	text := asException(err).Text
	block := fmt.Sprintf("\r\n__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n", o.tag, text, len(text)+1, o.tag)
	sink := o.sink
	if o.q.compressed {
		// Uncompressed frames: clients look for the mark in the bytes as sent.
		sink = newFrameWriter(o.plain(), compress.None)
	}
	io.WriteString(sink, block)
	if o.gzip != nil {
		o.gzip.Close()
	}
	http.NewResponseController(o.http).Flush()
	panic(http.ErrAbortHandler)
}

func (o *reply) plain() io.Writer {
	if o.gzip != nil {
		return o.gzip
	}
	return o.http
}

func asException(err error) *Exception {
	var e *Exception
	if errors.As(err, &e) {
		return e
	}
	return newException(codeUnknown, "UNKNOWN_EXCEPTION", err.Error())
}

func writeError(w http.ResponseWriter, err error) {
	e := asException(err)
	w.Header().Set("X-ClickHouse-Exception-Code", strconv.Itoa(e.Code))
	w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
	if e.Code == codeAuthFailed {
		w.Header().Set("WWW-Authenticate", `Basic realm="ClickHouse"`)
	}
	w.WriteHeader(e.httpStatus())
	io.WriteString(w, e.Text+"\n")
}
