package embedded

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// spoolMemory is how much of a held result stays in memory, in bytes.
const spoolMemory = 8 << 20

// spool holds a result until its end: a small one in memory, a large one in a
// temporary file in dir.
type spool struct {
	dir    string
	memory bytes.Buffer
	file   *os.File
}

// Write is part of io.Writer.
func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && s.memory.Len()+len(p) <= spoolMemory {
		return s.memory.Write(p)
	}
	if s.file == nil {
		file, err := os.CreateTemp(s.dir, "result-*.tmp")
		if err != nil {
			return 0, fmt.Errorf("hold result: %w", err)
		}
		os.Remove(file.Name()) // the open file lives on without its name
		s.file = file
	}
	return s.file.Write(p)
}

// copyTo sends what is held.
func (s *spool) copyTo(w io.Writer) error {
	if _, err := s.memory.WriteTo(w); err != nil || s.file == nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read held result: %w", err)
	}
	_, err := io.CopyBuffer(w, struct{ io.Reader }{s.file}, make([]byte, sendPart))
	return err
}

func (s *spool) drop() {
	if s.file != nil {
		s.file.Close()
	}
}

// writerFunc is a function as an io.Writer.
type writerFunc func(p []byte) (int, error)

// Write is part of io.Writer.
func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
