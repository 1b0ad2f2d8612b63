package events_test

import (
	"os"
	"path/filepath"
	"testing"
)

// sharedData returns the path of a file of real data kept beside the repository, or skips the test.
func sharedData(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("TOOLTRAIL_SHARED_DATA")
	for up := ".."; dir == "" && len(up) < 30; up = filepath.Join(up, "..") {
		if at := filepath.Join(up, "shared", "data"); isDir(at) {
			dir = at
		}
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); dir == "" || err != nil {
		t.Skipf("no %s: set TOOLTRAIL_SHARED_DATA to the folder of real data", name)
	}
	return path
}

func isDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
