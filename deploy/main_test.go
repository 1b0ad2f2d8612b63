package deploy_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tooltrail/tooltrail/deploy"
)

func TestMain(m *testing.M) {
	code := m.Run()
	closeEngine()
	os.Exit(code)
}

// secretsIn writes secrets into a temporary folder, as make secrets does.
func secretsIn(t *testing.T) string {
	t.Helper()
	c := deploy.DefaultConfig()
	c.Dir = filepath.Join(t.TempDir(), "files")
	if err := deploy.WriteSecrets(c); err != nil {
		t.Fatal(err)
	}
	return c.Dir
}

// read returns a file's content.
func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
