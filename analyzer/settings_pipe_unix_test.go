//go:build unix

package analyzer

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/metrics"
)

func TestASettingsFileThatBecomesAPipeHoldsNothingUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.yaml")
	replace(t, path, "drift:\n  warn_ratio: 0.10\n")
	var log strings.Builder
	f, err := OpenSettings(path, DefaultConfig(), nil, metrics.NewAnalyzer(prometheus.NewPedanticRegistry()), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := f.Current().Drift.WarnRatio; got != 0.10 || !strings.Contains(log.String(), "not a regular file") {
		t.Errorf("warn ratio %v; the log says %q", got, log.String())
	}
	replace(t, path, "drift:\n  warn_ratio: 0.11\n")
	if got := f.Current().Drift.WarnRatio; got != 0.11 {
		t.Errorf("warn ratio %v after the file is one again", got)
	}
}
