package stream

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"
)

// Config says where NATS is, who we are there, and how the streams are kept. Start from [DefaultConfig].
type Config struct {
	// URL is one address or several with commas: nats://host:4222, tls://host:4222.
	URL string
	// Name names the connection in the server's monitoring.
	Name string

	// User and Password, or Token, or NkeySeedFile, or CredsFile say who we are; at most one way of them.
	User, Password string
	Token          string
	// NkeySeedFile is a file with an nkey seed.
	NkeySeedFile string
	// CredsFile is a file with a user JWT and its nkey seed.
	CredsFile string

	// TLSCA is a PEM file of the authorities to trust; empty trusts the system's.
	TLSCA string
	// TLSCert and TLSKey are PEM files of our own certificate; both or none.
	TLSCert, TLSKey string

	// Inbox is the prefix of the subjects that answers come on, _INBOX when empty. Who has one of his own can be kept by the server's
	// permissions from reading the answers to others.
	Inbox string

	// DialTimeout bounds one attempt to connect.
	DialTimeout time.Duration
	// ReconnectWait is the pause between attempts; up to as much again is added at random.
	ReconnectWait time.Duration

	// MaxAge is how long the event stream keeps a message. The store must keep events for longer.
	MaxAge time.Duration
	// MaxBytes is how much the event stream keeps; the oldest goes first. 0 is no limit but the disk's.
	MaxBytes int64
	// DeadLetterMaxAge is how long a dead letter is kept.
	DeadLetterMaxAge time.Duration
	// Duplicates is how long a message id is remembered: a publisher may retry for less than half of it.
	Duplicates time.Duration
	// Replicas is the number of servers that keep a copy: 1, 3 or 5.
	Replicas int
}

// DefaultConfig returns a NATS on this machine, a week of events and a duplicate window of ten minutes.
func DefaultConfig() Config {
	return Config{
		URL:              "nats://127.0.0.1:4222",
		Name:             "tooltrail",
		DialTimeout:      2 * time.Second,
		ReconnectWait:    500 * time.Millisecond,
		MaxAge:           7 * 24 * time.Hour,
		DeadLetterMaxAge: 30 * 24 * time.Hour,
		Duplicates:       10 * time.Minute,
		Replicas:         1,
	}
}

// FromEnvironment takes the settings that variables give: TOOLTRAIL_NATS is the URL; TOOLTRAIL_NATS_USER, _PASSWORD, _TOKEN, _NKEY
// and _CREDS say who we are, the last two by files; TOOLTRAIL_NATS_TLS_CA, _TLS_CERT and _TLS_KEY name PEM files; _INBOX is [Config.Inbox]. An empty
// variable changes nothing; a password alone is that of the user tooltrail.
func (c *Config) FromEnvironment(getenv func(string) string) {
	for name, to := range map[string]*string{
		"TOOLTRAIL_NATS":          &c.URL,
		"TOOLTRAIL_NATS_USER":     &c.User,
		"TOOLTRAIL_NATS_PASSWORD": &c.Password,
		"TOOLTRAIL_NATS_TOKEN":    &c.Token,
		"TOOLTRAIL_NATS_NKEY":     &c.NkeySeedFile,
		"TOOLTRAIL_NATS_CREDS":    &c.CredsFile,
		"TOOLTRAIL_NATS_TLS_CA":   &c.TLSCA,
		"TOOLTRAIL_NATS_TLS_CERT": &c.TLSCert,
		"TOOLTRAIL_NATS_TLS_KEY":  &c.TLSKey,
		"TOOLTRAIL_NATS_INBOX":    &c.Inbox,
	} {
		if v := getenv(name); v != "" {
			*to = v
		}
	}
	if c.Password != "" {
		c.User = cmp.Or(c.User, "tooltrail")
	}
}

// Validate reports everything that is wrong with the settings; files must exist.
func (c Config) Validate() error {
	return errors.Join(c.validateConnection(), c.validateStreams())
}

func (c Config) validateConnection() error {
	var errs []error
	if c.URL == "" {
		errs = append(errs, errors.New("nats url: missing"))
	}
	ways := 0
	for _, way := range []string{c.User, c.Token, c.NkeySeedFile, c.CredsFile} {
		if way != "" {
			ways++
		}
	}
	if ways > 1 {
		errs = append(errs, errors.New("nats credentials: want one of user, token, nkey seed file and credentials file"))
	}
	if c.Password != "" && c.User == "" {
		errs = append(errs, errors.New("nats password: there is no user"))
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		errs = append(errs, errors.New("nats tls: want both a certificate and its key, or none"))
	}
	for _, file := range []string{c.NkeySeedFile, c.CredsFile, c.TLSCA, c.TLSCert, c.TLSKey} {
		if file == "" {
			continue
		}
		if _, err := os.Stat(file); err != nil {
			errs = append(errs, fmt.Errorf("nats file: %w", err))
		}
	}
	if c.DialTimeout <= 0 || c.ReconnectWait <= 0 {
		errs = append(errs, errors.New("nats dial timeout and reconnect wait: want more than 0"))
	}
	return errors.Join(errs...)
}

func (c Config) validateStreams() error {
	var errs []error
	if c.Duplicates < time.Second {
		errs = append(errs, fmt.Errorf("duplicate window %v: want a second at least", c.Duplicates))
	}
	if c.MaxAge < c.Duplicates || c.DeadLetterMaxAge < c.Duplicates {
		errs = append(errs, fmt.Errorf("retention %v and %v: want the duplicate window %v at least", c.MaxAge, c.DeadLetterMaxAge, c.Duplicates))
	}
	if c.MaxBytes < 0 {
		errs = append(errs, errors.New("stream size: want 0 or more"))
	}
	if c.Replicas < 1 || c.Replicas > 5 {
		errs = append(errs, fmt.Errorf("replicas %d: want 1 to 5", c.Replicas))
	}
	return errors.Join(errs...)
}
