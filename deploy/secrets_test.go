package deploy_test

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/deploy"
)

func TestSecretsThatAreThereStayAsTheyAre(t *testing.T) {
	c := deploy.DefaultConfig()
	c.Dir = secretsIn(t)
	before := map[string]string{}
	files, err := filepath.Glob(filepath.Join(c.Dir, "*"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, f := range files {
		before[f] = read(t, f)
	}
	if err := os.Remove(filepath.Join(c.Dir, "clickhouse_reader")); err != nil {
		t.Fatal(err)
	}
	if err := deploy.WriteSecrets(c); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Base(f)
		renewed := name == "clickhouse_reader" || name == "clickhouse_passwords.xml"
		if changed := read(t, f) != before[f]; changed != renewed {
			t.Errorf("%s: changed %v, want %v", name, changed, renewed)
		}
	}
}

func TestOnlyItsOwnerLooksIntoTheFolderOfSecrets(t *testing.T) {
	dir := secretsIn(t)
	for path, want := range map[string]os.FileMode{dir: 0o700, filepath.Join(dir, "ca.key"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode().Perm(), err, want)
		}
	}
	if strings.Contains(read(t, filepath.Join(dir, "clickhouse_passwords.xml")), read(t, filepath.Join(dir, "clickhouse_ingest"))) {
		t.Error("ClickHouse is given a password, not its hash")
	}
}

func TestServersCertificatesAreOfTheAuthority(t *testing.T) {
	dir := secretsIn(t)
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM([]byte(read(t, filepath.Join(dir, "ca.crt")))) {
		t.Fatal("ca.crt holds no certificate")
	}
	for _, server := range []string{"nats", "clickhouse"} {
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, server+".crt"), filepath.Join(dir, server+".key"))
		if err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{server, "localhost", "127.0.0.1"} {
			if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: trusted, DNSName: host}); err != nil {
				t.Errorf("%s as %s: %v", server, host, err)
			}
		}
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: trusted, DNSName: "elsewhere"}); err == nil {
			t.Errorf("%s passes for another", server)
		}
	}
}

func TestAlertsGoWhereItWasSaidLast(t *testing.T) {
	c := deploy.DefaultConfig()
	c.Dir = secretsIn(t)
	if got, err := deploy.Undelivered(c); err != nil || !slices.Equal(got, []string{"page", "ticket", "info"}) {
		t.Errorf("go nowhere: %v, %v", got, err)
	}
	for _, address := range []string{"https://a.example/page", "https://b.example/page", ""} {
		delete(c.Webhooks, "page")
		if address != "" {
			c.Webhooks["page"] = address
		}
		if err := deploy.WriteSecrets(c); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(filepath.Join(c.Dir, "webhook_page"))
	if err != nil || string(b) != "https://b.example/page" {
		t.Errorf("page goes to %q, %v", b, err)
	}
	if got, err := deploy.Undelivered(c); err != nil || !slices.Equal(got, []string{"ticket", "info"}) {
		t.Errorf("go nowhere: %v, %v", got, err)
	}
}

func TestSettingsOfSecretsThatCannotWorkAreErrors(t *testing.T) {
	for want, spoil := range map[string]func(*deploy.Config){
		"folder of the secrets": func(c *deploy.Config) { c.Dir = "" },
		"hosts":                 func(c *deploy.Config) { c.Hosts = nil },
		"webhook for page":      func(c *deploy.Config) { c.Webhooks["page"] = "nowhere" },
		"webhook for pages":     func(c *deploy.Config) { c.Webhooks["pages"] = "https://a.example/" },
	} {
		c := deploy.DefaultConfig()
		spoil(&c)
		if err := deploy.WriteSecrets(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	half := deploy.DefaultConfig()
	half.Dir = secretsIn(t)
	if err := os.Remove(filepath.Join(half.Dir, "ca.key")); err != nil {
		t.Fatal(err)
	}
	if err := deploy.WriteSecrets(half); err == nil || !strings.Contains(err.Error(), "both ca.crt and ca.key") {
		t.Errorf("half an authority: %v", err)
	}
}
