package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFileIsThereWholeOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.html")
	link := filepath.Join(dir, "link.html")
	for _, err := range []error{os.WriteFile(old, []byte("old"), 0o600), os.Symlink(old, link), writeWhole(link, []byte("new"), 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(old); err != nil || string(b) != "new" {
		t.Errorf("through a link: %q, %v", b, err)
	}
	if err := writeWhole(dir, []byte("x"), 0o600); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder: %v", err)
	}
	missing := filepath.Join(dir, "missing", "page.html")
	if err := writeWhole(missing, []byte("x"), 0o600); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := writeWhole("/dev/full", []byte("x"), 0o600); err == nil {
		t.Error("a full disk is no error")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.html.*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
