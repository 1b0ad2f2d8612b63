package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// writeWhole writes a file that is there whole or not at all. A link stays one, and what is no regular file, such as a pipe, is written to as it is.
func writeWhole(path string, content []byte, mode os.FileMode) error {
	if s, err := os.Stat(path); err == nil && !s.Mode().IsRegular() {
		return os.WriteFile(path, content, mode)
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
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
