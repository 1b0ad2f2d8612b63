package embedded

import (
	"compress/gzip"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go/compress"
)

// reply sends a result. Until its first byte is out an error can still have
// its status; after it, the error goes where ClickHouse puts it: behind the data.
type reply struct {
	http    http.ResponseWriter
	q       *request
	sink    io.Writer
	gzip    *gzip.Writer
	held    spool // of a result that is sent at its end
	started bool
	idle    time.Duration
	tag     string
}

// sendPart is how much is sent at a time: what a client must take within the
// time it has, in bytes.
const sendPart = 256 << 10

func newReply(w http.ResponseWriter, q *request, e *Engine) *reply {
	h := w.Header()
	h.Set("X-ClickHouse-Query-Id", q.queryID)
	h.Set("X-ClickHouse-Server-Display-Name", displayName)
	h.Set("X-ClickHouse-Timezone", e.timezone)
	h.Set("Content-Type", "text/plain; charset=UTF-8")
	return &reply{http: w, q: q, idle: e.cfg.ClientIdle, held: spool{dir: e.cfg.Dir}, tag: rand.Text()[:16]}
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
	written := 0
	for len(p) > 0 {
		o.allowWrite()
		n, err := o.sink.Write(p[:min(len(p), sendPart)])
		written, p = written+n, p[n:]
		if err != nil {
			return written, fmt.Errorf("send result: %w", err)
		}
	}
	return written, nil
}

// allowWrite gives the client time to take what is sent next; one that falls
// silent must not hold a slot for ever.
func (o *reply) allowWrite() {
	_ = http.NewResponseController(o.http).SetWriteDeadline(time.Now().Add(o.idle)) // where it can't be set, there is no limit
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
	defer o.held.drop()
	if err == nil {
		err = o.held.copyTo(writerFunc(o.send))
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
	o.allowWrite()
	sink := o.sink
	if o.q.compressed {
		// Uncompressed frames: clients look for the mark in the bytes as sent.
		sink = newFrameWriter(o.plain(), compress.None)
	}
	_, _ = io.WriteString(sink, block)
	if o.gzip != nil {
		o.gzip.Close()
	}
	_ = http.NewResponseController(o.http).Flush() // the client may be gone
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
	_, _ = io.WriteString(w, e.Text+"\n")
}
