package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestADataDirectoryIsHeldByOneAndFoundByOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	if _, err := runningState(dir); !errors.Is(err, errNotRunning) {
		t.Fatalf("before the start: %v", err)
	}
	hold, err := lockData(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := runningState(dir); !errors.Is(err, errNotRunning) || !strings.Contains(err.Error(), "starting") {
		t.Errorf("before the addresses are known: %v", err)
	}
	want := state{PID: 7, Version: "v1", Started: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), NATS: "nats://x", HTTP: "http://y", ClickHouse: "http://z"}
	if err := hold.write(want); err != nil {
		t.Fatal(err)
	}
	got, err := runningState(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := lockData(dir); err == nil || !strings.Contains(err.Error(), "process 7") {
		t.Errorf("a second holder: %v", err)
	}
	if err := hold.release(); err != nil {
		t.Fatal(err)
	}
	if _, err := runningState(dir); !errors.Is(err, errNotRunning) {
		t.Errorf("after the end: %v", err)
	}
}

func TestTheStateOfAKilledProcessIsNotBelieved(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{lockName: "", stateName: `{"pid":1,"nats":"nats://127.0.0.1:4222"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := runningState(dir); !errors.Is(err, errNotRunning) {
		t.Errorf("have %v, want that nothing runs", err)
	}
}

func TestTheDataDirectoryFollowsXDG(t *testing.T) {
	for _, c := range []struct{ xdg, want string }{
		{"", "/home/ada/.local/share/tooltrail"},
		{"/data", "/data/tooltrail"},
		{"relative", "/home/ada/.local/share/tooltrail"},
	} {
		env := map[string]string{"HOME": "/home/ada", "XDG_DATA_HOME": c.xdg}
		if got := defaultData(func(k string) string { return env[k] }); got != c.want {
			t.Errorf("XDG_DATA_HOME=%q: %s, want %s", c.xdg, got, c.want)
		}
	}
}
