package drift

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tooltrail/tooltrail/events"
)

func TestADocumentHasRoomForSoManyVersions(t *testing.T) {
	d := orderDocument(t)
	if _, err := d.Retire("v1", ann); err != nil {
		t.Fatal(err)
	}
	for i := range MaxVersions {
		mustRegister(t, d, definitionOf(numbered(i), fmt.Sprintf("n%d", i)), StateLegacy)
	}
	if len(d.Versions) != MaxVersions || d.Version("v1") != nil || d.Version("n0") != nil || d.Active().Version != "v2" {
		t.Errorf("%s", states(d))
	}
	if changed, err := d.Register(definitionOf(orderV1, "v1"), "agent", day0, ""); err != nil || changed {
		t.Errorf("a dropped version that an event brings again: changed %v, %v", changed, err)
	}
	mustRegister(t, d, definitionOf(orderV1, "v1"), StateLegacy)
	if d.Version("v1") == nil || len(d.Dropped) != 2 {
		t.Errorf("%s, dropped %+v", states(d), d.Dropped)
	}
}

func TestADocumentHasRoomForSoManyBytes(t *testing.T) {
	big := func(n int, version string) *events.ToolDefinition {
		def := definitionOf(numbered(n), version)
		def.Definition = []byte(`{"name":"process_order","description":"` + strings.Repeat("x", 300<<10) + `","inputSchema":` + numbered(n) + `}`)
		return def
	}
	d := NewDocument(Key{Tool: "process_order"})
	for i := range 4 {
		mustRegister(t, d, big(i, fmt.Sprintf("v%d", i)), "")
	}
	raw, err := d.Encode()
	if err != nil || len(raw) > MaxDocumentBytes || states(d) != "v2 legacy, v3 active" {
		t.Errorf("%d bytes, %s, %v", len(raw), states(d), err)
	}
	if _, err := d.StartCanary("v2", 0, "", ann); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Register(big(9, "v9"), "ann", day0, StateLegacy); !errors.Is(err, ErrDocument) || !strings.Contains(err.Error(), "want 786432 at most") {
		t.Errorf("a definition that there is no room for: %v", err)
	}
}

func TestDocumentsComeBackAsTheyWere(t *testing.T) {
	d := orderDocument(t)
	_, err := d.AddMigration(Migration{From: "v1", To: "v2", Steps: []Step{{Op: OpRename, Path: "/amount", To: "/quantity"}}}, ann)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = d.StartCanary("v1", 0.25, "k", ann)
	raw, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeDocument(raw)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d, back, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestMembersOfANewerProgramAreKept(t *testing.T) {
	raw, err := orderDocument(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(raw), `"tool":"process_order"`, `"tool":"process_order","review":{"by":"bob"}`, 1)
	newer = strings.Replace(newer, `"state":"active"`, `"state":"active","sunset":"2026-09-01"`, 1)
	d, err := DecodeDocument([]byte(newer))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.SetOwner("team", ann); err != nil {
		t.Fatal(err)
	}
	back, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []string{`"review":{"by":"bob"}`, `"sunset":"2026-09-01"`, `"owner":"team"`} {
		if !strings.Contains(string(back), kept) {
			t.Errorf("%s is gone", kept)
		}
	}
}

func TestADocumentThatIsWrongIsRefusedWithThePlace(t *testing.T) {
	whole, err := orderDocument(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, now string) string {
		if !strings.Contains(string(whole), old) {
			t.Fatalf("%s is not in %s", old, whole)
		}
		return strings.Replace(string(whole), old, now, 1)
	}
	end := func(more string) string { return strings.TrimSuffix(string(whole), "}") + "," + more + "}" }
	tests := []struct{ name, raw, want string }{
		{"nothing", ``, "not JSON"},
		{"half of it", string(whole[:len(whole)/2]), "not JSON"},
		{"a list", `[]`, "array can't be read"},
		{"no tool", change(`"tool":"process_order",`, ``), "/tool: missing"},
		{"a number for a name", change(`"tool":"process_order"`, `"tool":5`), "/tool: number can't be read as string"},
		{"a name twice", change(`"tool":"process_order"`, `"tool":"x","tool":"y"`), "/tool: a name twice"},
		{"a state that there isn't", change(`"state":"active"`, `"state":"live"`), `/versions/1/state: "live" is no state`},
		{"two active versions", change(`"state":"legacy"`, `"state":"active"`), `"v1" and "v2" are both active`},
		{"a version twice", change(`"version":"v2"`, `"version":"v1"`), `/versions/1/version: "v1" is there twice`},
		{"a version without a name", change(`"version":"v2"`, `"version":""`), `/versions/1/version: missing`},
		{"a bad digest", change(`"schema_digest":"`, `"schema_digest":"x`), "/versions/0/schema_digest: not 64"},
		{"a bad time", change(`"since":"2026`, `"since":"yesterday`), "/versions/0/since"},
		{"a definition without a name", change(`"name":"process_order"`, `"nam":"process_order"`), "/versions/0/definition/name: missing"},
		{"a canary that is none", change(`"state":"legacy"`, `"state":"canary"`), "/versions/0/state: a canary that /canary does not name"},
		{"a canary of nothing", end(`"canary":{"version":"v3","share":0.1,"hash_key":"k","started_at":"2026-01-01T00:00:00Z"}`), `/canary/version: "v3"`},
		{"a fallback that is not there", end(`"fallback_version":"v0"`), `/fallback_version: there is no version "v0"`},
		{"a rename to nothing", end(`"renames":{"a":""}`), "/renames/a: want two names"},
		{"a migration from nowhere", end(`"migrations":[{"from":"v0","to":"v2","steps":[]}]`), `/migrations/0/from: there is no version "v0"`},
		{"a step that leads nowhere", end(`"migrations":[{"from":"v1","to":"v2","steps":[{"op":"drop","path":"amount"}]}]`), "/migrations/0/steps/0/path: no JSON pointer"},
		{"too long", strings.Repeat(" ", MaxDocumentBytes+1), "want 786432 at most"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := DecodeDocument([]byte(tt.raw))
			if !errors.Is(err, ErrDocument) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v", err)
			}
		})
	}
}
