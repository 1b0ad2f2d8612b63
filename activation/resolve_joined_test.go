package activation

import (
	"testing"

	"pgregory.net/rapid"
)

// slowExact finds a tool by asking every server.
func slowExact(r *Roster, name string) (int, bool) {
	if i, ok := r.byName[name]; ok {
		return i, true
	}
	found := map[int]bool{}
	for _, s := range r.servers {
		if rest, ok := cutServer(name, s.name); ok {
			if i, ok := r.byServer[serverTool{s.name, rest}]; ok {
				found[i] = true
			}
		}
	}
	for i := range found {
		return i, len(found) == 1
	}
	return 0, false
}

func TestANameWithItsServerIsFoundAsIfEveryServerHadBeenAsked(t *testing.T) {
	part := rapid.StringOfN(rapid.SampledFrom([]rune("ab_./")), 1, 4, -1)
	rapid.Check(t, func(t *rapid.T) {
		in := RosterInput{}
		for range rapid.IntRange(0, 6).Draw(t, "tools") {
			in.Tools = append(in.Tools, Tool{Name: part.Draw(t, "tool"), Server: part.Draw(t, "server")})
		}
		r := NewRoster(in)
		name := part.Draw(t, "server") + rapid.SampledFrom([]string{"__", ".", ":", "/", "_"}).Draw(t, "separator") + part.Draw(t, "tool")
		if rapid.Bool().Draw(t, "mcp") {
			name = "mcp__" + name
		}
		i, ok := r.exact(name)
		j, want := slowExact(r, name)
		if ok != want || ok && i != j {
			t.Fatalf("%q of %+v: %d, %t; want %d, %t", name, in.Tools, i, ok, j, want)
		}
	})
}
