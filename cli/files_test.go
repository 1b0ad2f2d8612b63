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

func TestNoRecordingBecomesAPage(t *testing.T) {
	dir := t.TempDir()
	recording, page, empty, link := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "page.html"), filepath.Join(dir, "empty"), filepath.Join(dir, "link")
	for path, text := range map[string]string{recording: `{"x":1}`, page: "<!doctype html>\n<html>", empty: ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(recording, link); err != nil {
		t.Fatal(err)
	}
	for path, ok := range map[string]bool{recording: false, link: false, page: true, empty: true, filepath.Join(dir, "new"): true, "": true, "/dev/null": true} {
		if err := overwritesPage(path); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
	if notOneOf("out", link, []string{page, recording}) == nil || notOneOf("out", page, []string{recording, "missing"}) != nil || notOneOf("out", "", []string{recording}) != nil {
		t.Error("an input is what is the same file, and nothing else")
	}
}
