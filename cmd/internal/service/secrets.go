package service

import (
	"fmt"
	"os"
	"strings"
)

// secrets are the variables that may also be given by a file: NAME_FILE names it.
var secrets = []string{
	"TOOLTRAIL_NATS_PASSWORD", "TOOLTRAIL_NATS_TOKEN", "TOOLTRAIL_CLICKHOUSE_PASSWORD", "TOOLTRAIL_INTAKE_TOKEN", "TOOLTRAIL_PAGE_TOKEN",
}

// maxSecret is how many bytes a file with a secret may have: more is another file by mistake.
const maxSecret = 4096

// WithSecretFiles returns an environment in which each secret whose variable NAME_FILE names a file is what stands there, without line
// breaks at its end. It is an error that both are given, and that the file can't be read, is empty or too large. Errors quote no content.
func WithSecretFiles(getenv func(string) string) (func(string) string, error) {
	read := map[string]string{}
	for _, name := range secrets {
		path := getenv(name + "_FILE")
		if path == "" {
			continue
		}
		if getenv(name) != "" {
			return nil, fmt.Errorf("read secrets: want %s or %s_FILE, not both", name, name)
		}
		secret, err := readSecret(path)
		if err != nil {
			return nil, fmt.Errorf("read %s_FILE: %w", name, err)
		}
		read[name] = secret
	}
	return func(name string) string {
		if s, ok := read[name]; ok {
			return s
		}
		return getenv(name)
	}, nil
}

func readSecret(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	secret := strings.TrimRight(string(data), "\r\n")
	switch {
	case len(data) > maxSecret:
		return "", fmt.Errorf("%s has %d bytes: want %d at most", path, len(data), maxSecret)
	case secret == "":
		return "", fmt.Errorf("%s is empty", path)
	case strings.ContainsAny(secret, "\r\n"):
		return "", fmt.Errorf("%s has several lines", path)
	}
	return secret, nil
}
