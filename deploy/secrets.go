package deploy

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nats-io/nkeys"
)

// Config says where secrets are written and which names the servers have. See [DefaultConfig].
type Config struct {
	// Dir is the folder for the files. Only its owner may look into it: the files themselves can be read by all, since the users of the
	// containers, to which they are given one by one, are others.
	Dir string
	// Hosts are the names and addresses by which clients call NATS and ClickHouse, for their certificates.
	Hosts []string
	// Webhooks are the addresses to which Alertmanager delivers, by severity: page, ticket and info. Those that are set replace what is there;
	// without any the file leads nowhere.
	Webhooks map[string]string
}

// severities are those of alerts, each of which has a webhook.
var severities = []string{"page", "ticket", "info"}

// nowhere is the webhook of a severity until somebody says another one: Alertmanager's own container, in which nobody listens.
func nowhere(severity string) string { return "http://localhost:9094/" + severity }

// DefaultConfig is for docker-compose.yml on one machine.
func DefaultConfig() Config {
	return Config{Dir: "deploy/secrets/files", Hosts: []string{"nats", "clickhouse", "localhost", "127.0.0.1"}, Webhooks: map[string]string{}}
}

// Undelivered lists the severities whose alerts go nowhere yet.
func Undelivered(c Config) ([]string, error) {
	var all []string
	for _, severity := range severities {
		address, err := os.ReadFile(c.path("webhook_" + severity))
		if err != nil {
			return nil, fmt.Errorf("read webhook: %w", err)
		}
		if strings.TrimSpace(string(address)) == nowhere(severity) {
			all = append(all, severity)
		}
	}
	return all, nil
}

// Validate reports all settings that can't work.
func (c Config) Validate() error {
	var errs []error
	if c.Dir == "" {
		errs = append(errs, errors.New("folder of the secrets: missing"))
	}
	if len(c.Hosts) == 0 {
		errs = append(errs, errors.New("hosts of the certificates: want one at least"))
	}
	for severity, address := range c.Webhooks {
		u, err := url.Parse(address)
		if !slices.Contains(severities, severity) {
			errs = append(errs, fmt.Errorf("webhook for %s: want one for page, ticket or info", severity))
		}
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			errs = append(errs, fmt.Errorf("webhook for %s: want http://HOST/ or https://HOST/", severity))
		}
	}
	return errors.Join(errs...)
}

// The users, each of which has a file: clickhouse_NAME with a password, nats_NAME.nk with the seed of a key.
var (
	clickHouseUsers = []string{"migrate", "ingest", "analyzer", "reader", "operator"}
	natsUsers       = []string{"ingest", "analyzer", "agent", "operator"}
)

// passwordBytes are how many random bytes a password is made of.
const passwordBytes = 24

// WriteSecrets writes the files that are missing in the folder and leaves those that are there as they are, but for webhooks that are set. Two
// files follow from others and are written each time: the hashes of ClickHouse's passwords and the public keys of the users of NATS. To change
// a secret, remove its file and write again.
func WriteSecrets(c Config) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return fmt.Errorf("make folder of secrets: %w", err)
	}
	for _, write := range []func(Config) error{writePasswords, writeHashes, writeKeys, writeWebhooks, writeCertificates} {
		if err := write(c); err != nil {
			return err
		}
	}
	return nil
}

func writePasswords(c Config) error {
	names := []string{"intake_token", "grafana_admin", "grafana_secret_key"}
	for _, user := range clickHouseUsers {
		names = append(names, "clickhouse_"+user)
	}
	for _, name := range names {
		if err := c.keep(name, 0o644, func() ([]byte, error) { return []byte(newPassword()), nil }); err != nil {
			return err
		}
	}
	return nil
}

// newPassword is a random one in hexadecimal digits.
func newPassword() string {
	b := make([]byte, passwordBytes)
	_, _ = rand.Read(b) // never fails
	return fmt.Sprintf("%x", b)
}

// writeHashes writes what ClickHouse knows of the passwords, for users.xml to include.
func writeHashes(c Config) error {
	var b bytes.Buffer
	b.WriteString("<clickhouse>\n")
	for _, user := range clickHouseUsers {
		password, err := os.ReadFile(c.path("clickhouse_" + user))
		if err != nil {
			return fmt.Errorf("read password of %s: %w", user, err)
		}
		fmt.Fprintf(&b, "    <%s>%x</%s>\n", user, sha256.Sum256(bytes.TrimRight(password, "\r\n")), user)
	}
	b.WriteString("</clickhouse>\n")
	return c.write("clickhouse_passwords.xml", 0o644, b.Bytes())
}

// writeKeys writes a seed for each user of NATS, and the public keys for nats.conf to include.
func writeKeys(c Config) error {
	var public strings.Builder
	for _, user := range natsUsers {
		name := "nats_" + user + ".nk"
		if err := c.keep(name, 0o644, newSeed); err != nil {
			return err
		}
		seed, err := os.ReadFile(c.path(name))
		if err != nil {
			return fmt.Errorf("read key of %s: %w", user, err)
		}
		pair, err := nkeys.FromSeed(bytes.TrimSpace(seed))
		if err != nil {
			return fmt.Errorf("read key of %s: %w", user, err)
		}
		key, err := pair.PublicKey()
		if err != nil {
			return fmt.Errorf("read key of %s: %w", user, err)
		}
		fmt.Fprintf(&public, "%s_nkey: %s\n", user, key)
	}
	return c.write("nats_keys.conf", 0o644, []byte(public.String()))
}

func newSeed() ([]byte, error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	return pair.Seed()
}

func writeWebhooks(c Config) error {
	for _, severity := range severities {
		var err error
		if address := c.Webhooks[severity]; address != "" {
			err = c.write("webhook_"+severity, 0o644, []byte(address))
		} else {
			err = c.keep("webhook_"+severity, 0o644, func() ([]byte, error) { return []byte(nowhere(severity)), nil })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c Config) path(name string) string { return filepath.Join(c.Dir, name) }

// keep writes a file unless it is there.
func (c Config) keep(name string, mode fs.FileMode, content func() ([]byte, error)) error {
	if _, err := os.Stat(c.path(name)); err == nil {
		return nil
	}
	data, err := content()
	if err != nil {
		return fmt.Errorf("make %s: %w", name, err)
	}
	return c.write(name, mode, data)
}

func (c Config) write(name string, mode fs.FileMode, data []byte) error {
	if err := os.WriteFile(c.path(name), data, mode); err != nil {
		return fmt.Errorf("write secret: %w", err)
	}
	return nil
}
