package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// DefaultMaxLineBytes is the longest line that is read unless [Options.MaxLineBytes] says otherwise: 64 MiB.
const DefaultMaxLineBytes = 64 << 20

// keepBytes is the largest line buffer that is kept for the next line.
const keepBytes = 1 << 20

// ErrLineTooLong is in the chain of the error for a line over the limit. The line was skipped: reading can go on.
var ErrLineTooLong = errors.New("line too long")

// lineReader reads lines one at a time in memory bounded by the longest line allowed. Blank lines are left out but counted, and a
// byte order mark at the start and carriage returns at the ends are dropped.
type lineReader struct {
	r    *bufio.Reader
	max  int
	n    int
	line []byte
}

// newLines returns a scanner of r's lines of at most limit bytes; 0 means [DefaultMaxLineBytes].
func newLines(r io.Reader, limit int) *lineReader {
	if limit <= 0 {
		limit = DefaultMaxLineBytes
	}
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: limit}
}

// Number is the number of the line that Next returned last, from 1.
func (l *lineReader) Number() int { return l.n }

// Next returns the next line that is not blank, without its end. It is valid until the next call. The error is io.EOF after the
// last line, and has [ErrLineTooLong] in its chain when a line was skipped.
func (l *lineReader) Next() ([]byte, error) {
	for {
		line, err := l.read()
		if err != nil {
			return nil, err
		}
		if l.n == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

// read returns the next line as it is.
func (l *lineReader) read() ([]byte, error) {
	if cap(l.line) > keepBytes {
		l.line = nil
	}
	l.line = l.line[:0]
	l.n++
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.line)+len(part) > l.max+1 {
			return nil, l.skip(len(l.line)+len(part), err)
		}
		if err == nil && len(l.line) == 0 {
			return part, nil
		}
		l.grow(len(part))
		l.line = append(l.line, part...)
		switch {
		case err == nil || err == io.EOF && len(l.line) > 0:
			return l.line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			l.n--
			return nil, err
		}
	}
}

// grow makes room for n more bytes, doubling but never far beyond the limit.
func (l *lineReader) grow(n int) {
	need := len(l.line) + n
	if need <= cap(l.line) {
		return
	}
	bigger := make([]byte, len(l.line), max(need, min(2*cap(l.line), l.max+1)))
	copy(bigger, l.line)
	l.line = bigger
}

// skip reads past the end of a line of which n bytes were read, the last with err.
func (l *lineReader) skip(n int, err error) error {
	l.line = nil
	for errors.Is(err, bufio.ErrBufferFull) {
		var part []byte
		part, err = l.r.ReadSlice('\n')
		n += len(part)
	}
	if err != nil && err != io.EOF {
		return err
	}
	return fmt.Errorf("%w: %d bytes, at most %d", ErrLineTooLong, n, l.max)
}
