package embedded

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrInUse says that another process uses the data folder.
var ErrInUse = errors.New("data folder in use")

const lockName = "tooltrail.lock"

// dirLock keeps other processes out of a data folder. The system drops it when
// the process dies, so a kill leaves nothing to clean up.
type dirLock struct{ file *os.File }

// lockDir makes the folder if need be and locks it. The error of a folder
// that is taken wraps ErrInUse and names the holder's process id.
func lockDir(dir string) (*dirLock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make data folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer file.Close()
		return nil, lockError(dir, file, err)
	}
	if err := writePid(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("write lock file: %w", err)
	}
	return &dirLock{file}, nil
}

func lockError(dir string, file *os.File, err error) error {
	if !errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	pid, _ := io.ReadAll(io.LimitReader(file, 32))
	return fmt.Errorf("lock %s: %w by process %s; stop it or choose another folder", dir, ErrInUse, strings.TrimSpace(string(pid)))
}

func writePid(file *os.File) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := fmt.Fprintf(file, "%d\n", os.Getpid())
	return err
}

func (l *dirLock) release() { l.file.Close() }

// InUse tells whether a process, this one too, holds the data folder.
func InUse(dir string) bool {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer file.Close()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}
