package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is a connection over a program's standard input and output: a message a line.
type stdio struct {
	child *child
	limit int64

	writing sync.Mutex
	lines   chan readLine
	closing chan struct{}
	once    sync.Once
	err     error
	// ended says that the program's output ended before the connection was closed.
	ended atomic.Bool

	mu sync.Mutex
	// noise counts lines that are no messages; first is the start of the first of them.
	noise int
	first string
}

// readLine is a line that came, or why none comes any more.
type readLine struct {
	text   []byte
	number int
	err    error
}

// Connect starts the program.
func (s *stdio) Connect(context.Context) (mcp.Connection, error) {
	if err := s.child.start(); err != nil {
		return nil, err
	}
	s.lines, s.closing = make(chan readLine), make(chan struct{})
	go s.scan(s.child.out)
	return s, nil
}

// scan reads lines until the output ends or the connection is closed. Closing the program closes the output.
func (s *stdio) scan(out io.Reader) {
	defer close(s.lines)
	r := bufio.NewReaderSize(out, 64<<10)
	for n := 1; ; n++ {
		text, err := s.line(r)
		if err != nil && len(text) == 0 {
			if errors.Is(err, io.EOF) && !s.isClosing() {
				s.ended.Store(true)
			}
			s.hand(readLine{number: n, err: err})
			return
		}
		if !s.hand(readLine{text: text, number: n}) {
			return
		}
	}
}

func (s *stdio) isClosing() bool {
	select {
	case <-s.closing:
		return true
	default:
		return false
	}
}

// hand gives a line to Read; false is that nobody waits for one any more.
func (s *stdio) hand(l readLine) bool {
	select {
	case s.lines <- l:
		return true
	case <-s.closing:
		return false
	}
}

// line reads a line; the last one may lack its end.
func (s *stdio) line(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if int64(len(line)) > s.limit {
			return nil, fmt.Errorf("a line of standard output: %w", errTooLong)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), err
		}
	}
}

// Read returns the next message. Lines that look like none, such as a banner, are left out and counted.
func (s *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-s.closing:
			return nil, io.EOF
		case l, ok := <-s.lines:
			if !ok {
				return nil, io.EOF
			}
			if l.err != nil {
				return nil, l.err
			}
			msg, err := s.message(l)
			if msg != nil || err != nil {
				return msg, err
			}
		}
	}
}

func (s *stdio) message(l readLine) (jsonrpc.Message, error) {
	if len(l.text) == 0 {
		return nil, nil
	}
	if l.text[0] != '{' {
		s.note(l.text)
		return nil, nil
	}
	msg, err := jsonrpc.DecodeMessage(l.text)
	if err != nil {
		return nil, fmt.Errorf("read line %d of standard output: %w: %w", l.number, errNoMessage, err)
	}
	return msg, nil
}

// shownNoise is how much of a line that is no message is shown, in bytes.
const shownNoise = 80

func (s *stdio) note(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noise++; s.noise == 1 {
		s.first = string(line[:min(len(line), shownNoise)])
	}
}

// problem says what came that was no message.
func (s *stdio) problem() []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noise == 0 {
		return nil
	}
	return []Problem{{Reason: fmt.Sprintf("standard output had %d lines that are no messages, the first: %q", s.noise, s.first)}}
}

// Write sends a message.
func (s *stdio) Write(_ context.Context, msg jsonrpc.Message) error {
	raw, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err = s.child.in.Write(append(raw, '\n'))
	return err
}

// Close ends the program and waits for it.
func (s *stdio) Close() error {
	s.once.Do(func() {
		close(s.closing)
		s.err = s.child.stop()
	})
	return s.err
}

// SessionID is empty: there is one session.
func (s *stdio) SessionID() string { return "" }
