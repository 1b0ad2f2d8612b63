package service_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/cmd/internal/service"
)

// environ is an environment of a map.
func environ(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestSecretsComeFromFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("s3cret \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	getenv, err := service.WithSecretFiles(environ(map[string]string{
		"TOOLTRAIL_CLICKHOUSE_PASSWORD_FILE": file, "TOOLTRAIL_NATS_PASSWORD": "given", "TOOLTRAIL_NATS": "nats://n:4222",
	}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"TOOLTRAIL_CLICKHOUSE_PASSWORD": "s3cret ", "TOOLTRAIL_NATS_PASSWORD": "given", "TOOLTRAIL_NATS": "nats://n:4222", "TOOLTRAIL_INTAKE_TOKEN": "",
	} {
		if got := getenv(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestAFileThatHoldsNoSecretIsAnErrorThatQuotesNothing(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ content, want string }{
		"empty":   {"\n", "is empty"},
		"several": {"secret\nlines\n", "has several lines"},
		"large":   {strings.Repeat("secret", 1000), "want 4096 at most"},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := service.WithSecretFiles(environ(map[string]string{"TOOLTRAIL_INTAKE_TOKEN_FILE": file}))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret\n") || strings.Contains(err.Error(), "secretsecret") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := service.WithSecretFiles(environ(map[string]string{"TOOLTRAIL_INTAKE_TOKEN_FILE": filepath.Join(dir, "none")})); err == nil {
		t.Error("a missing file is no error")
	}
	both := environ(map[string]string{"TOOLTRAIL_INTAKE_TOKEN_FILE": filepath.Join(dir, "empty"), "TOOLTRAIL_INTAKE_TOKEN": "x"})
	if _, err := service.WithSecretFiles(both); err == nil || !strings.Contains(err.Error(), "not both") {
		t.Errorf("both given: %v", err)
	}
}

func TestAProgramSaysWhetherAnAddressIsHealthy(t *testing.T) {
	status := http.StatusOK
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	defer srv.Close()
	if err := service.Healthy(t.Context(), srv.URL); err != nil {
		t.Error(err)
	}
	status = http.StatusServiceUnavailable
	if err := service.Healthy(t.Context(), srv.URL); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("an answer of 503: %v", err)
	}
	srv.Close()
	if err := service.Healthy(t.Context(), srv.URL); err == nil {
		t.Error("nobody there is no error")
	}
}
