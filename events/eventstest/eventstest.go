// Package eventstest finds the real data that tests read events from.
package eventstest

import (
	"os"
	"path/filepath"
	"testing"
)

// SharedFile returns the path of a file of real data, which is kept beside the repository and no part of it: in the folder that
// TOOLTRAIL_SHARED_DATA names, or in shared/data of a folder above the test's. The test is skipped where the file is not there.
func SharedFile(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("TOOLTRAIL_SHARED_DATA")
	for up := ".."; dir == "" && len(up) < 30; up = filepath.Join(up, "..") {
		if try := filepath.Join(up, "shared", "data"); exists(try) {
			dir = try
		}
	}
	path := filepath.Join(dir, name)
	if dir == "" || !exists(path) {
		t.Skipf("no %s: set TOOLTRAIL_SHARED_DATA to the folder of real data", name)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
