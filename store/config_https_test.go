package store

import "testing"

func TestHTTPSIsSecureWithoutBeingTold(t *testing.T) {
	for _, address := range []string{
		"https://clickhouse:8443", "https://clickhouse:8443/", "https://clickhouse:8443?dial_timeout=1s", "https://a:8443,b:8443", "https://clickhouse:8443?secure=true",
	} {
		c := DefaultConfig()
		c.Address = address
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if o, err := c.options("tooltrail"); err != nil || o.TLS == nil {
			t.Errorf("%s: without TLS: %v", address, err)
		}
	}
	plain := DefaultConfig()
	if o, err := plain.options("tooltrail"); err != nil || o.TLS != nil {
		t.Errorf("%s: with TLS: %v", plain.Address, err)
	}
}
