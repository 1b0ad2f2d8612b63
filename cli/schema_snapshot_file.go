package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/tooltrail/tooltrail/drift"
)

// lastInFile returns the last release of the server that the file has; nil where there is none.
func (s *snapshot) lastInFile() (*drift.Release, error) {
	if s.o.file == "" {
		return nil, nil
	}
	if _, err := os.Stat(s.o.file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	raw, err := readWhole(s.o.file)
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return nil, err
	}
	releases, err := drift.ReadReleases(raw)
	if err != nil {
		return nil, fmt.Errorf("read releases of %s: %w", s.o.file, err)
	}
	for i := len(releases) - 1; i >= 0; i-- {
		if releases[i].Server == s.list.Server {
			return &releases[i], nil
		}
	}
	return nil, nil
}

// writeFile adds the release to the file, unless the last one there is the same.
func (s *snapshot) writeFile() (err error) {
	last, err := s.lastInFile()
	if err != nil || last != nil && s.isSame(last) {
		return err
	}
	line, err := s.list.Line(s.at)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(s.o.file, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("write release: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if line, err = afterLine(f, line); err == nil {
		_, err = f.Write(line)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return fmt.Errorf("write release to %s: %w", s.o.file, err)
	}
	s.report.Written = true
	return nil
}

// afterLine goes to a file's end and ends the line there, where somebody left it open.
func afterLine(f *os.File, line []byte) ([]byte, error) {
	end, err := f.Seek(0, 2)
	if err != nil || end == 0 {
		return line, err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, end-1); err != nil {
		return nil, err
	}
	if last[0] != '\n' {
		line = append([]byte{'\n'}, line...)
	}
	return line, nil
}

// isSame reports that a release is what the server offers now.
func (s *snapshot) isSame(r *drift.Release) bool {
	now := s.list.Definitions(false)
	if r.Name != s.list.Release || len(r.Tools) != len(now) {
		return false
	}
	was, err := plainForms(r.Tools)
	is, err2 := plainForms(now)
	if err != nil || err2 != nil {
		return false
	}
	for i := range was {
		if !bytes.Equal(was[i], is[i]) {
			return false
		}
	}
	return true
}
