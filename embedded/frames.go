package embedded

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/ClickHouse/ch-go/compress"
)

// maxFrame is how much data goes into one compressed frame, in bytes.
const maxFrame = 1 << 20

// frameReader reads ClickHouse's compressed frames (decompress=1), of at most
// 128 MiB each: clickhouse-go sends a batch as one frame, so that is also the
// largest batch. Data that ends inside a frame is an error, never a short end.
type frameReader struct {
	in     io.Reader
	buf    *bufio.Reader
	frames *compress.Reader
}

// Read is part of io.Reader.
func (f *frameReader) Read(p []byte) (int, error) {
	if f.frames == nil {
		f.buf = bufio.NewReaderSize(f.in, 64<<10)
		f.frames = compress.NewReader(f.buf)
	}
	n, err := f.frames.Read(p)
	if err == nil || n > 0 {
		return n, nil
	}
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, io.EOF
	}
	return 0, newException(codeCannotDecompres, "CANNOT_DECOMPRESS",
		"body is not whole compressed frames of at most 128 MiB each: "+err.Error())
}

// frameWriter writes ClickHouse's compressed frames (compress=1).
type frameWriter struct {
	out    io.Writer
	frames *compress.Writer
}

func newFrameWriter(out io.Writer, method compress.Method) *frameWriter {
	return &frameWriter{out: out, frames: compress.NewWriter(compress.LevelZero, method)}
}

// Write is part of io.Writer.
func (f *frameWriter) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 {
		part := p[:min(len(p), maxFrame)]
		if err := f.frames.Compress(part); err != nil {
			return written, fmt.Errorf("compress result: %w", err)
		}
		if _, err := f.out.Write(f.frames.Data); err != nil {
			return written, err
		}
		written += len(part)
		p = p[len(part):]
	}
	return written, nil
}
