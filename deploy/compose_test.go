package deploy_test

import (
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// project reads docker-compose.yml as docker compose does: strictly, by the schema of the specification.
func project(t *testing.T) *types.Project {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	p, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: root, ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(root, "docker-compose.yml")}}, Environment: types.Mapping{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestComposeHasTheServicesThatTooltrailConsistsOf(t *testing.T) {
	p := project(t)
	want := []string{"alertmanager", "analyzer", "clickhouse", "grafana", "ingest", "migrate", "nats", "prometheus"}
	if got := slices.Sorted(maps.Keys(p.Services)); !slices.Equal(got, want) {
		t.Errorf("services %v, want %v", got, want)
	}
	for name, s := range p.Services {
		if name != "migrate" && (s.HealthCheck == nil || len(s.HealthCheck.Test) < 2 || s.HealthCheck.Test[0] != "CMD") {
			t.Errorf("%s has no health check without a shell: %+v", name, s.HealthCheck)
		}
		if s.Deploy == nil || s.Deploy.Resources.Limits == nil || s.Deploy.Resources.Limits.MemoryBytes == 0 || s.Deploy.Resources.Limits.NanoCPUs == 0 {
			t.Errorf("%s has no limits of memory and processors", name)
		}
		if s.Privileged || !slices.Contains(s.CapDrop, "ALL") || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			t.Errorf("%s keeps rights that it does not need", name)
		}
		if s.NetworkMode != "" || s.Pid != "" || s.Ipc != "" {
			t.Errorf("%s shares the machine's own", name)
		}
	}
}

func TestNothingOfComposeRunsAsRoot(t *testing.T) {
	for name, s := range project(t).Services {
		user := s.User
		if s.Build != nil {
			user = userOfTarget(t, s.Build.Target)
		}
		if uid, _, _ := strings.Cut(user, ":"); uid == "" || uid == "0" || uid == "root" {
			t.Errorf("%s runs as %q", name, user)
		}
	}
}

// userOfTarget is who an image of our Dockerfile runs as.
func userOfTarget(t *testing.T, target string) string {
	t.Helper()
	_, stage, ok := strings.Cut(read(t, "../Dockerfile"), " AS "+target+"\n")
	if !ok {
		t.Fatalf("Dockerfile has no target %s", target)
	}
	stage, _, _ = strings.Cut(stage, "\nFROM ")
	for line := range strings.Lines(stage) {
		if user, ok := strings.CutPrefix(line, "USER "); ok {
			return strings.TrimSpace(user)
		}
	}
	return ""
}

var pinned = regexp.MustCompile(`^[a-z/-]+:v?\d+\.\d+(\.\d+)?(-[a-z]+)?$`)

func TestImagesArePinned(t *testing.T) {
	for name, s := range project(t).Services {
		if s.Build == nil && !pinned.MatchString(s.Image) {
			t.Errorf("%s: image %q is not pinned to a version", name, s.Image)
		}
	}
	dockerfile := read(t, "../Dockerfile")
	versions := map[string]string{}
	for line := range strings.Lines(dockerfile) {
		if name, version, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "ARG "), "="); ok && strings.HasPrefix(line, "ARG ") && name != "VERSION" {
			versions[name] = version
			if !regexp.MustCompile(`^\d+\.\d+(\.\d+)?$`).MatchString(version) {
				t.Errorf("Dockerfile: %s %q is no version", name, version)
			}
		}
		if strings.HasPrefix(line, "FROM ") && !strings.Contains(line, "scratch") && !strings.Contains(line, "_VERSION}") {
			t.Errorf("Dockerfile: %s: not pinned", strings.TrimSpace(line))
		}
	}
	gomod := read(t, "../go.mod")
	if !regexp.MustCompile(`nats-server/v2 v` + regexp.QuoteMeta(versions["NATS_VERSION"]) + `\s`).MatchString(gomod) {
		t.Errorf("NATS %s is not the one that the tests run with", versions["NATS_VERSION"])
	}
	for _, file := range []string{"../docker-compose.yml", "../Dockerfile"} {
		if strings.Contains(read(t, file), "latest") {
			t.Errorf("%s: a version is the latest, whichever that is", file)
		}
	}
}

func TestOnlyLoopbackReachesWhatIsPublished(t *testing.T) {
	published := map[string]string{}
	for name, s := range project(t).Services {
		for _, port := range s.Ports {
			if ip := net.ParseIP(port.HostIP); ip == nil || !ip.IsLoopback() {
				t.Errorf("%s publishes %s on %q", name, port.Published, port.HostIP)
			}
			if other := published[port.Published]; other != "" {
				t.Errorf("%s and %s both publish %s", name, other, port.Published)
			}
			published[port.Published] = name
		}
	}
	want := map[string]string{"4222": "nats", "8443": "clickhouse", "8090": "ingest", "9090": "prometheus", "9093": "alertmanager", "3000": "grafana"}
	if !maps.Equal(published, want) {
		t.Errorf("published %v, want %v", published, want)
	}
}

func TestEveryMountedFileIsThere(t *testing.T) {
	secrets := secretsIn(t)
	p := project(t)
	for name, s := range p.Services {
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeVolume {
				if _, ok := p.Volumes[v.Source]; !ok {
					t.Errorf("%s: there is no volume %s", name, v.Source)
				}
				continue
			}
			if _, err := os.Stat(v.Source); err != nil || !v.ReadOnly {
				t.Errorf("%s: mount of %s: %v, read only %v", name, v.Source, err, v.ReadOnly)
			}
		}
		for _, used := range s.Secrets {
			if _, ok := p.Secrets[used.Source]; !ok {
				t.Errorf("%s: there is no secret %s", name, used.Source)
			}
		}
	}
	for name, secret := range p.Secrets {
		info, err := os.Stat(filepath.Join(secrets, filepath.Base(secret.File)))
		if err != nil || info.Mode().Perm()&0o444 != 0o444 {
			t.Errorf("secret %s: %v, readable by the containers' users: %v", name, err, info)
		}
	}
}

// TestWhatNamesASecretNamesOneThatItHas: environment variables and settings name files below /run/secrets, which the service must be given.
func TestWhatNamesASecretNamesOneThatItHas(t *testing.T) {
	path := regexp.MustCompile(`/run/secrets/([A-Za-z_]+(\.[a-z]+)?)`)
	for name, s := range project(t).Services {
		given := map[string]bool{}
		for _, used := range s.Secrets {
			given[used.Source] = true
		}
		var text strings.Builder
		for _, value := range s.Environment {
			if value != nil {
				text.WriteString(*value + "\n")
			}
		}
		for _, v := range s.Volumes {
			if v.Type == types.VolumeTypeBind {
				text.WriteString(contents(t, v.Source))
			}
		}
		named := map[string]bool{"nats_keys": name == "nats"}
		for _, m := range path.FindAllStringSubmatch(text.String(), -1) {
			named[m[1]] = true
			if !given[m[1]] {
				t.Errorf("%s names the secret %s and is not given it", name, m[1])
			}
		}
		for secret := range given {
			if !named[secret] {
				t.Errorf("%s is given the secret %s and does not name it", name, secret)
			}
		}
	}
}

// contents are those of a file, or of all files of a folder.
func contents(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !info.IsDir() {
		return read(t, path)
	}
	files, err := filepath.Glob(filepath.Join(path, "*"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		b.WriteString(read(t, f))
	}
	return b.String()
}

func TestNoPasswordStandsInWhatIsCommitted(t *testing.T) {
	literal := regexp.MustCompile(`(?i)(password|token|secret_?key)[a-z0-9_]*["']?\s*[:=]\s*["']?[^\s"'$/{]`)
	files := []string{"../docker-compose.yml", "../Dockerfile", "nats/nats.conf", "clickhouse/users.xml", "clickhouse/config.xml", "prometheus/prometheus.yml", "alertmanager/alertmanager.yml"}
	more, _ := filepath.Glob("grafana/provisioning/*/*.yml")
	for _, file := range append(files, more...) {
		for line := range strings.Lines(read(t, file)) {
			if literal.MatchString(line) && !strings.Contains(line, "/run/secrets/") && !strings.Contains(line, "deploy/secrets/files/") {
				t.Errorf("%s: %s", file, strings.TrimSpace(line))
			}
		}
	}
	for name, s := range project(t).Services {
		for variable, value := range s.Environment {
			secret := strings.Contains(variable, "PASSWORD") || strings.Contains(variable, "TOKEN") || strings.Contains(variable, "SECRET")
			if secret && (value == nil || !strings.HasPrefix(*value, "/run/secrets/") || !strings.HasSuffix(variable, "_FILE")) {
				t.Errorf("%s: %s is no file", name, variable)
			}
		}
	}
}
