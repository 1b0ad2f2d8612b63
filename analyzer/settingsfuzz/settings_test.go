// Package settingsfuzz tries the settings file with bytes that nobody would write. It is apart from the analyzer's own tests, whose
// servers a fuzzing process should not carry.
package settingsfuzz

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tooltrail/tooltrail/analyzer"
)

func FuzzSettings(f *testing.F) {
	f.Add([]byte("drift:\n  windows:\n    - {length: 5m, min_calls: 3}\n  tools:\n    a/*: {warn_ratio: 0.5}\n"))
	f.Add([]byte("breaker: {critical: [a, b], scope: tool}\n---\n"))
	f.Add([]byte("? a\n: b\n&a *a !!t |\n  x\n"))
	path := filepath.Join(f.TempDir(), "settings.yaml")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		c := analyzer.DefaultConfig()
		if err := c.UseSettings(path); err == nil {
			if err := c.Validate(); err != nil {
				t.Errorf("%q is taken and makes no sense: %v", data, err)
			}
		}
	})
}
