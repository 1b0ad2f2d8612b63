package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

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

// TestEachCommandTakesItsOwnDefaults: commands share variables, and one that is made later must not take an earlier one's defaults away.
func TestEachCommandTakesItsOwnDefaults(t *testing.T) {
	for _, line := range []string{"up", "report", "page", "analyze", "import", "findings", "serve nats", "serve clickhouse", "prefix explain", "tools list"} {
		p := &program{}
		p.set.read(func(string) string { return "" })
		root := p.root()
		c, _, err := root.Find(strings.Fields(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.ParseFlags(nil); err != nil {
			t.Fatal(err)
		}
		if err := root.PersistentPreRunE(c, nil); err != nil {
			t.Fatal(err)
		}
		n := 0
		c.Flags().VisitAll(func(f *pflag.Flag) {
			n++
			if f.Value.String() != f.DefValue {
				t.Errorf("%s: --%s is %q, want %q", line, f.Name, f.Value, f.DefValue)
			}
		})
		if n < 2 {
			t.Errorf("%s has %d flags", line, n)
		}
		if line == "up" && (p.set.NATS != "127.0.0.1:4222" || p.set.ClickHouse != "127.0.0.1:8123") {
			t.Errorf("up listens on %q and %q", p.set.NATS, p.set.ClickHouse)
		}
	}
}
