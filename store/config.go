package store

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// Config says where ClickHouse is and how to use it. Start from [DefaultConfig].
type Config struct {
	// Address is a URL. http://HOST:8123 and https://HOST:8443 speak HTTP, clickhouse://HOST:9000 the native protocol
	// (?secure=true for TLS). USER:PASSWORD@ before the host, several hosts separated by commas, and clickhouse-go's other
	// parameters are understood.
	Address string
	// Database is created by Migrate when it is missing.
	Database string
	// Username and Password win over those in Address when Username is set.
	Username, Password string
	// Cluster names a ClickHouse cluster: tables are then Replicated ones made ON CLUSTER, behind Distributed ones. Empty is one
	// server.
	Cluster string
	// RetentionDays is how long events and dead letters are kept after they were stored, in days; 0 is for ever. It must be longer
	// than the stream keeps them. Migrate applies a changed value. Findings are kept for ever.
	RetentionDays int
	// MaxOpenConns bounds the connections, and with them the queries and inserts at one time; MaxIdleConns those that are kept.
	MaxOpenConns, MaxIdleConns int
	// DialTimeout bounds connecting and waiting for a free connection.
	DialTimeout time.Duration
	// ReadTimeout bounds each wait for the server's answer, where the context sets no sooner deadline.
	ReadTimeout time.Duration
	// Compression of what is sent and received: none, lz4 or zstd. None is the cheapest on one machine.
	Compression string
}

// DefaultConfig returns the settings for a server on this machine.
func DefaultConfig() Config {
	return Config{
		Address:       "http://127.0.0.1:8123",
		Database:      "tooltrail",
		RetentionDays: 90,
		MaxOpenConns:  16,
		MaxIdleConns:  8,
		DialTimeout:   10 * time.Second,
		ReadTimeout:   5 * time.Minute,
		Compression:   "none",
	}
}

// FromEnvironment takes the settings that variables give: TOOLTRAIL_CLICKHOUSE is the address; TOOLTRAIL_CLICKHOUSE_USER and
// _PASSWORD say who to be there; TOOLTRAIL_CLICKHOUSE_DATABASE and _CLUSTER where the tables are. An empty variable changes nothing;
// a password alone is that of the user default.
func (c *Config) FromEnvironment(getenv func(string) string) {
	for name, to := range map[string]*string{
		"TOOLTRAIL_CLICKHOUSE":          &c.Address,
		"TOOLTRAIL_CLICKHOUSE_USER":     &c.Username,
		"TOOLTRAIL_CLICKHOUSE_PASSWORD": &c.Password,
		"TOOLTRAIL_CLICKHOUSE_DATABASE": &c.Database,
		"TOOLTRAIL_CLICKHOUSE_CLUSTER":  &c.Cluster,
	} {
		if v := getenv(name); v != "" {
			*to = v
		}
	}
	if c.Password != "" {
		c.Username = cmp.Or(c.Username, "default")
	}
}

var compressions = map[string]clickhouse.CompressionMethod{
	"none": clickhouse.CompressionNone, "lz4": clickhouse.CompressionLZ4, "zstd": clickhouse.CompressionZSTD,
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*$`)

// Validate reports all settings that can't work.
func (c Config) Validate() error {
	var errs []error
	if _, err := clickhouse.ParseDSN(c.dsn()); err != nil {
		errs = append(errs, errors.New("address: want http://HOST:PORT or clickhouse://HOST:PORT"))
	}
	if !identifier.MatchString(c.Database) {
		errs = append(errs, fmt.Errorf("database %q: want letters, digits and _", c.Database))
	}
	if c.Cluster != "" && !identifier.MatchString(c.Cluster) {
		errs = append(errs, fmt.Errorf("cluster %q: want letters, digits and _", c.Cluster))
	}
	if c.RetentionDays < 0 {
		errs = append(errs, fmt.Errorf("retention of %d days: want 0 or more", c.RetentionDays))
	}
	if c.MaxOpenConns < 1 || c.MaxIdleConns < 0 || c.MaxIdleConns > c.MaxOpenConns {
		errs = append(errs, fmt.Errorf("%d open and %d idle connections: want at least 1 open and no more idle ones", c.MaxOpenConns, c.MaxIdleConns))
	}
	if c.DialTimeout <= 0 || c.ReadTimeout <= 0 {
		errs = append(errs, errors.New("timeouts: want more than 0"))
	}
	if _, ok := compressions[c.Compression]; !ok {
		errs = append(errs, fmt.Errorf("compression %q: want none, lz4 or zstd", c.Compression))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("store settings: %w", err)
	}
	return nil
}

// dsn returns the address as the driver takes it, which wants to be told that https:// is secure.
func (c Config) dsn() string {
	switch {
	case !strings.HasPrefix(c.Address, "https://") || strings.Contains(c.Address, "secure="):
		return c.Address
	case strings.Contains(c.Address, "?"):
		return c.Address + "&secure=true"
	}
	return c.Address + "?secure=true"
}

// options turns c into the driver's options for a database.
func (c Config) options(database string) (*clickhouse.Options, error) {
	o, err := clickhouse.ParseDSN(c.dsn())
	if err != nil {
		return nil, errors.New("parse address: want http://HOST:PORT or clickhouse://HOST:PORT")
	}
	o.Auth.Database = database
	if c.Username != "" {
		o.Auth.Username, o.Auth.Password = c.Username, c.Password
	}
	o.MaxOpenConns, o.MaxIdleConns = c.MaxOpenConns, c.MaxIdleConns
	o.HttpMaxConnsPerHost = c.MaxOpenConns
	o.DialTimeout, o.ReadTimeout = c.DialTimeout, c.ReadTimeout
	if m := compressions[c.Compression]; m != clickhouse.CompressionNone {
		o.Compression = &clickhouse.Compression{Method: m}
	}
	return o, nil
}
