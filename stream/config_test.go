package stream_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/stream"
)

func TestTheEnvironmentSaysWhereNATSIsAndWhoWeAre(t *testing.T) {
	have := stream.DefaultConfig()
	have.FromEnvironment(func(name string) string { return name })
	want := stream.DefaultConfig()
	want.URL = "TOOLTRAIL_NATS"
	want.User, want.Password, want.Token = "TOOLTRAIL_NATS_USER", "TOOLTRAIL_NATS_PASSWORD", "TOOLTRAIL_NATS_TOKEN"
	want.NkeySeedFile, want.CredsFile = "TOOLTRAIL_NATS_NKEY", "TOOLTRAIL_NATS_CREDS"
	want.TLSCA, want.TLSCert, want.TLSKey = "TOOLTRAIL_NATS_TLS_CA", "TOOLTRAIL_NATS_TLS_CERT", "TOOLTRAIL_NATS_TLS_KEY"
	want.Inbox = "TOOLTRAIL_NATS_INBOX"
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
}

func TestAnEmptyEnvironmentChangesNothing(t *testing.T) {
	have := stream.DefaultConfig()
	have.FromEnvironment(func(string) string { return "" })
	if diff := cmp.Diff(stream.DefaultConfig(), have); diff != "" {
		t.Error(diff)
	}
}

func TestAPasswordAloneIsThatOfTheUserTooltrail(t *testing.T) {
	c := stream.DefaultConfig()
	c.FromEnvironment(func(name string) string { return map[string]string{"TOOLTRAIL_NATS_PASSWORD": "p"}[name] })
	if c.User != "tooltrail" || c.Password != "p" {
		t.Errorf("user %q, password %q", c.User, c.Password)
	}
}
