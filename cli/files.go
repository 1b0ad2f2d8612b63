package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeWhole writes a file that is there whole or not at all. A link stays one, and what is no regular file, such as a pipe, is written to as it is.
func writeWhole(path string, content []byte, mode os.FileMode) error {
	if s, err := os.Stat(path); err == nil && !s.Mode().IsRegular() {
		return os.WriteFile(path, content, mode)
	}
	if s, err := os.Lstat(path); err == nil && s.Mode()&os.ModeSymlink != 0 {
		to, err := filepath.EvalSymlinks(path)
		if err != nil {
			return fmt.Errorf("write %s: it is a link that leads nowhere", path)
		}
		path = to
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Unwrap(err))
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// notOneOf refuses to write to a file that is read.
func notOneOf(flag, out string, inputs []string) error {
	if out == "" {
		return nil
	}
	to, err := os.Stat(out)
	if err != nil {
		return nil // it is not there yet
	}
	for _, in := range inputs {
		if from, err := os.Stat(in); err == nil && os.SameFile(to, from) {
			return usageError{fmt.Errorf("--%s %s: that is a file to read", flag, out)}
		}
	}
	return nil
}

// overwritesPage refuses to write a page over a file that is none: what follows --html may be a recording that a shell put there.
func overwritesPage(out string) error {
	if out == "" {
		return nil
	}
	f, err := os.Open(out)
	if err != nil {
		return nil // writing says what is wrong
	}
	defer f.Close()
	if s, err := f.Stat(); err != nil || !s.Mode().IsRegular() {
		return nil
	}
	const begins = "<!doctype html>"
	start := make([]byte, len(begins))
	if n, err := io.ReadFull(f, start); n > 0 && (err != nil || string(start) != begins) {
		return usageError{fmt.Errorf("--html %s: there is a file that is no page: remove it, or name another", out)}
	}
	return nil
}
