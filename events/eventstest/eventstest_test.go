package eventstest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tooltrail/tooltrail/events/eventstest"
)

func TestTheEnvironmentNamesTheFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TOOLTRAIL_SHARED_DATA", dir)
	path := filepath.Join(dir, "a.jsonl")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if have := eventstest.SharedFile(t, "a.jsonl"); have != path {
		t.Errorf("%s, want %s", have, path)
	}
}

func TestWhatIsNotThereSkipsTheTest(t *testing.T) {
	t.Setenv("TOOLTRAIL_SHARED_DATA", t.TempDir())
	ran := t.Run("reads", func(t *testing.T) {
		eventstest.SharedFile(t, "a.jsonl")
		t.Error("it goes on")
	})
	if !ran {
		t.Error("it fails")
	}
}

func ExampleSharedFile() {
	_ = func(t *testing.T) {
		raw, err := os.ReadFile(eventstest.SharedFile(t, "tools.json"))
		_, _ = raw, err
	}
}
