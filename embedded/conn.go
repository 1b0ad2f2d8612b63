package embedded

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"unsafe"
)

// conn is one connection of the library: a session with settings of its own
// that runs one statement at a time. Not for concurrent use.
type conn struct {
	lib    *library
	handle unsafe.Pointer // chdb_connection *
}

// setting is one ClickHouse setting of a connection.
type setting struct{ Name, Value string }

// openConn opens a connection with the given command-line options, each
// without its leading dashes. The first one of a process boots the engine.
func openConn(lib *library, options []setting) (*conn, error) {
	args := make([][]byte, 0, len(options)+1)
	args = append(args, []byte("clickhouse\x00"))
	for _, o := range options {
		args = append(args, []byte("--"+o.Name+"="+o.Value+"\x00"))
	}
	argv := make([]unsafe.Pointer, len(args)+1)
	for i := range args {
		argv[i] = unsafe.Pointer(&args[i][0])
	}
	handle := lib.connect(int32(len(args)), unsafe.Pointer(&argv[0]))
	runtime.KeepAlive(args)
	runtime.KeepAlive(argv)
	if handle == nil {
		return nil, errors.New("open engine connection: refused by the engine")
	}
	return &conn{lib: lib, handle: handle}, nil
}

func (c *conn) close() {
	if c.handle != nil {
		c.lib.closeConn(c.handle)
		c.handle = nil
	}
}

// inner is what the calls take: the value that the handle points to.
func (c *conn) inner() unsafe.Pointer { return *(*unsafe.Pointer)(c.handle) }

// stream is a running statement whose result is fetched chunk by chunk.
type stream struct {
	conn     *conn
	handle   unsafe.Pointer // of the streaming query; nil when whole is set
	whole    unsafe.Pointer // the whole result of a statement that can't stream
	rowsRead uint64
	ended    bool
}

// queryFunc is one of the library's two ways to run a statement.
type queryFunc = func(conn, sql unsafe.Pointer, n uintptr, format unsafe.Pointer, fn uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) unsafe.Pointer

// start starts a statement; its result comes in the given output format. What
// reads can be streamed; what changes something runs to its end here.
func (c *conn) start(sql, format string, params []param, streamed bool) (*stream, error) {
	if streamed {
		handle, err := c.run(c.lib.streamQuery, sql, format, params)
		if err == nil {
			return &stream{conn: c, handle: handle}, nil
		}
		if !cannotStream(err) {
			return nil, err
		}
	}
	whole, err := c.run(c.lib.query, sql, format, params)
	if err != nil {
		return nil, err
	}
	return &stream{conn: c, whole: whole}, nil
}

func (c *conn) run(f queryFunc, sql, format string, params []param) (unsafe.Pointer, error) {
	q, o, p := textOf(sql), textOf(format), paramsOf(params)
	handle := f(c.inner(), q.ptr, q.len, o.ptr, o.len, p.namesPtr, p.nameLensPtr, p.valuesPtr, p.valLensPtr, p.count())
	runtime.KeepAlive(sql)
	runtime.KeepAlive(format)
	runtime.KeepAlive(params)
	runtime.KeepAlive(p)
	if handle == nil {
		return nil, errors.New("run query: the engine gave no result")
	}
	if text := cString(c.lib.resultError(handle)); text != "" {
		c.lib.resultDestroy(handle)
		return nil, parseException(text)
	}
	return handle, nil
}

// cannotStream tells the engine's refusal to stream a statement, given before
// any of it has run.
func cannotStream(err error) bool {
	var e *Exception
	return errors.As(err, &e) && e.Code == codeBadArguments &&
		strings.HasPrefix(e.Text, "Code: 36. DB::Exception: Streaming query is not supported")
}

// next writes the next chunk of the result to w; io.EOF after the last.
func (s *stream) next(w io.Writer) error {
	if s.ended {
		return io.EOF
	}
	if s.whole != nil {
		s.ended = true
		return s.copyOut(s.whole, w)
	}
	chunk := s.conn.lib.streamFetch(s.conn.inner(), s.handle)
	if chunk == nil {
		s.ended = true
		return io.EOF
	}
	defer s.conn.lib.resultDestroy(chunk)
	if text := cString(s.conn.lib.resultError(chunk)); text != "" {
		s.ended = true
		return parseException(text)
	}
	return s.copyOut(chunk, w)
}

func (s *stream) copyOut(chunk unsafe.Pointer, w io.Writer) error {
	n := s.conn.lib.resultLength(chunk)
	if n == 0 {
		s.ended = true
		return io.EOF
	}
	s.rowsRead += s.conn.lib.resultRowsRead(chunk)
	if _, err := w.Write(unsafe.Slice((*byte)(s.conn.lib.resultBuffer(chunk)), n)); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// close ends the statement, cancelling it if it still runs.
func (s *stream) close() {
	if s.whole != nil {
		s.conn.lib.resultDestroy(s.whole)
		return
	}
	if !s.ended {
		s.conn.lib.streamCancel(s.conn.inner(), s.handle)
		s.ended = true
	}
	s.conn.lib.resultDestroy(s.handle)
}

// exec runs a statement to its end and returns its output.
func (c *conn) exec(sql, format string, params []param) ([]byte, error) {
	s, err := c.start(sql, format, params, true)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var out chunks
	for {
		if err := s.next(&out); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, err
		}
	}
}

type chunks []byte

func (c *chunks) Write(p []byte) (int, error) {
	*c = append(*c, p...)
	return len(p), nil
}

// insert is a running INSERT that is fed its data chunk by chunk.
type insert struct {
	conn   *conn
	handle unsafe.Pointer
	closed bool
}

// startInsert begins an INSERT; sql has neither FORMAT clause nor data.
func (c *conn) startInsert(sql, format string, params []param) (*insert, error) {
	q, f, p := textOf(sql), textOf(format), paramsOf(params)
	handle := c.lib.insertOpen(c.inner(), q.ptr, q.len, f.ptr, f.len,
		p.namesPtr, p.nameLensPtr, p.valuesPtr, p.valLensPtr, p.count())
	runtime.KeepAlive(sql)
	runtime.KeepAlive(format)
	runtime.KeepAlive(params)
	runtime.KeepAlive(p)
	if handle == nil {
		return nil, errors.New("start insert: the engine gave no stream")
	}
	i := &insert{conn: c, handle: handle}
	if text := cString(c.lib.insertError(handle)); text != "" {
		i.close()
		return nil, parseException(text)
	}
	return i, nil
}

// errInsertFailed says that the engine takes no more data; commit has the reason.
var errInsertFailed = errors.New("append to insert: the engine takes no more data")

// Write hands data to the engine, which copies it; it waits while the engine is behind.
func (i *insert) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	state := i.conn.lib.insertAppend(i.handle, unsafe.Pointer(&p[0]), uintptr(len(p)))
	runtime.KeepAlive(p)
	if state != 0 {
		return 0, errInsertFailed
	}
	return len(p), nil
}

// commit ends the data and returns the number of rows written.
func (i *insert) commit() (uint64, error) {
	result := i.conn.lib.insertDone(i.handle)
	if result == nil {
		return 0, errors.New("end insert: the engine gave no result")
	}
	defer i.conn.lib.resultDestroy(result)
	if text := cString(i.conn.lib.resultError(result)); text != "" {
		return 0, parseException(text)
	}
	return i.conn.lib.resultRowsWritten(result), nil
}

// cancel drops the insert: what was not yet a full block is not stored.
func (i *insert) cancel() { i.conn.lib.insertCancel(i.handle) }

func (i *insert) close() {
	if !i.closed {
		i.closed = true
		i.conn.lib.insertDestroy(i.handle)
	}
}
