package cli

import "testing"

func TestAnAddressThatUpListensOnIsReachedByItsURL(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:42223": "nats://127.0.0.1:42223", "[::1]:4222": "nats://[::1]:4222", "tls://nats.example:4222": "tls://nats.example:4222",
		"127.0.0.1:0": "127.0.0.1:0", "": "", "nats": "nats",
	} {
		if got := reachable(addr, "nats"); got != want {
			t.Errorf("%q: %q, want %q", addr, got, want)
		}
	}
}

func TestAVariableForUpServesTheOtherCommands(t *testing.T) {
	p := &program{set: settings{NATS: "127.0.0.1:42223", ClickHouse: "127.0.0.1:8124", Data: t.TempDir()}}
	for name, ask := range map[string]func() (state, error){"both": p.running, "nats": p.runningNATS, "clickhouse": p.runningStore} {
		s, err := ask()
		if err != nil || s.NATS != "nats://127.0.0.1:42223" && name != "clickhouse" || s.ClickHouse != "http://127.0.0.1:8124" && name != "nats" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}
