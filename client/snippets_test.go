package client

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// snippetInput is what the documentation's snippets are asked, and snippetOutput what they and this package must agree on.
type snippetInput struct {
	Names         [][]string       `json:"names"`
	Documents     []jsontext.Value `json:"documents"`
	Conversations []string         `json:"conversations"`
	Switches      []jsontext.Value `json:"switches"`
	Now           time.Time        `json:"now"`
	Migrated      jsontext.Value   `json:"migrated"`
	Calls         []snippetCall    `json:"calls"`
}

type snippetCall struct {
	From      string         `json:"from"`
	To        string         `json:"to"`
	Arguments jsontext.Value `json:"arguments"`
}

type snippetOutput struct {
	Keys     []string   `json:"keys"`
	Versions [][]string `json:"versions"`
	Refuses  []bool     `json:"refuses"`
	// Arguments is null where a migration fails.
	Arguments []any `json:"arguments"`
}

const pythonDriver = `
import json, sys
sys.path.insert(0, "docs/snippets")
import registry as r
q = json.load(sys.stdin)
def migrate(c):
    try:
        return r.migrate(q["migrated"], c["from"], c["to"], c["arguments"])
    except ValueError:
        return None
def shown(d, c):
    v, cohort = r.version_for(d, c)
    return [v["version"] if v else "", cohort]
print(json.dumps({
    "keys": [r.key(*n) for n in q["names"]],
    "versions": [shown(d, c) for d in q["documents"] for c in q["conversations"]],
    "refuses": [r.refuses(s, r.time_of(q["now"])) for s in q["switches"]],
    "arguments": [migrate(c) for c in q["calls"]],
}))
`

const nodeDriver = `
import { readFileSync } from "node:fs";
const q = JSON.parse(readFileSync(process.env.SNIPPET_INPUT));
const tried = (c) => { try { return migrate(q.migrated, c.from, c.to, c.arguments); } catch { return null; } };
const shown = (d, c) => { const { version, cohort } = versionFor(d, c); return [version?.version ?? "", cohort]; };
console.log(JSON.stringify({
  keys: q.names.map((n) => key(...n)),
  versions: q.documents.flatMap((d) => q.conversations.map((c) => shown(d, c))),
  refuses: q.switches.map((s) => refuses(s, Date.parse(q.now))),
  arguments: q.calls.map(tried),
}));
`

func TestTheSnippetsForOtherLanguagesAgreeWithThisClient(t *testing.T) {
	in, want := snippetCases(t)
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/input.json"
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	typescript, err := os.ReadFile("../docs/snippets/registry.ts")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		program string
		args    []string
		stdin   []byte
	}{
		{"python3", []string{"-B", "-c", pythonDriver}, raw},
		{"node", []string{"--input-type=module"}, append(typescript, nodeDriver...)},
	} {
		t.Run(tt.program, func(t *testing.T) {
			if _, err := exec.LookPath(tt.program); err != nil {
				t.Skip(err)
			}
			cmd := exec.CommandContext(t.Context(), tt.program, tt.args...)
			cmd.Dir, cmd.Stdin, cmd.Env = "..", bytes.NewReader(tt.stdin), append(os.Environ(), "SNIPPET_INPUT="+file)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var have snippetOutput
			if err := json.Unmarshal(out, &have); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
			}
		})
	}
}

// snippetCases are questions with the answers of this package.
func snippetCases(t *testing.T) (in snippetInput, want snippetOutput) {
	in.Names = [][]string{{"shop", "process_order"}, {"", "search"}, {"a.b", "c d", "é/*>"}, {"=", "", "😀"}}
	for _, names := range in.Names {
		key, err := stream.Key(names...)
		if err != nil {
			t.Fatal(err)
		}
		want.Keys = append(want.Keys, key)
	}
	in.Conversations = []string{""}
	for i := range 300 {
		in.Conversations = append(in.Conversations, fmt.Sprintf("conv-%d-é", i))
	}
	for _, share := range []float64{0.1, 1.0 / 3, 0.5, math.Nextafter(1, 0), 1} {
		d := onTrial(t)
		d.Canary.Share = share
		snippetVersions(t, &in, &want, d)
	}
	snippetVersions(t, &in, &want, orderDocument(t))
	snippetSwitches(t, &in, &want)
	snippetMigrations(t, &in, &want)
	return in, want
}

func snippetVersions(t *testing.T, in *snippetInput, want *snippetOutput, d *drift.Document) {
	t.Helper()
	raw, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	in.Documents = append(in.Documents, raw)
	r := drift.NewRegistry()
	if err := r.Put(d); err != nil {
		t.Fatal(err)
	}
	for _, c := range in.Conversations {
		v, cohort := r.For(d.Key(), c)
		want.Versions = append(want.Versions, []string{v.Active.Name, cohort})
	}
}

func snippetSwitches(t *testing.T, in *snippetInput, want *snippetOutput) {
	t.Helper()
	in.Now = time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)
	for _, sw := range []drift.Switch{
		{State: drift.SwitchDisabled}, {State: drift.SwitchEnabled}, {State: drift.SwitchProbing},
		{State: drift.SwitchDisabled, Until: in.Now.Add(time.Second)}, {State: drift.SwitchDisabled, Until: in.Now.Add(-time.Second)},
		{State: drift.SwitchEnabled, Until: in.Now.Add(-time.Second)},
	} {
		sw.Tool = "t"
		raw, err := sw.Encode()
		if err != nil {
			t.Fatal(err)
		}
		in.Switches = append(in.Switches, raw)
		want.Refuses = append(want.Refuses, sw.Refuses(in.Now))
	}
	in.Switches = append(in.Switches, jsontext.Value("null"))
	want.Refuses = append(want.Refuses, false)
}

func snippetMigrations(t *testing.T, in *snippetInput, want *snippetOutput) {
	t.Helper()
	step := func(from, to string, steps ...drift.Step) drift.Migration {
		return drift.Migration{From: from, To: to, Steps: steps}
	}
	doc := struct {
		Migrations []drift.Migration `json:"migrations"`
	}{[]drift.Migration{
		step("v1", "v2", drift.Step{Op: drift.OpRename, Path: "/a", To: "/b"}),
		step("v2", "v3", drift.Step{Op: drift.OpMove, Path: "/b", To: "/in/deep/b"}, drift.Step{Op: drift.OpDefault, Path: "/c", Value: jsontext.Value(`[1]`)}),
		step("v1", "v4", drift.Step{Op: drift.OpRename, Path: "/list/*/x~1y", To: "/list/*/z"}, drift.Step{Op: drift.OpDrop, Path: "/list/0/gone"}),
		step("v4", "v5", drift.Step{Op: drift.OpMap, Path: "/unit", Values: map[string]jsontext.Value{"lb": jsontext.Value(`"pound"`), "1": jsontext.Value(`true`), "null": jsontext.Value(`{}`)}}),
		step("v5", "v6", drift.Step{Op: "newer", Path: "/a"}),
		step("v6", "v7", drift.Step{Op: drift.OpMove, Path: "/__proto__", To: "/constructor/__proto__"}),
	}}
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	in.Migrated = raw
	for _, args := range []string{
		`{"a":1}`, `{"a":1,"b":2}`, `{"b":1,"in":{"x":1}}`, `{"b":1,"in":5}`, `{"b":1,"in":{"deep":{"b":2}}}`, `{"c":null}`, `{}`, `{"list":[{"x/y":1,"gone":1},{"gone":2},3]}`, `{"list":{"x/y":1}}`,
		`{"unit":"lb"}`, `{"unit":1}`, `{"unit":null}`, `{"unit":[]}`, `{"unit":"kg"}`, `{"a":5}`, `{"__proto__":1,"a":2}`, `{"list":[{"x/y":1,"z":2}]}`,
	} {
		for _, way := range [][2]string{{"v1", "v2"}, {"v1", "v3"}, {"v2", "v3"}, {"v1", "v4"}, {"v1", "v5"}, {"v5", "v6"}, {"v6", "v7"}, {"v2", "v1"}} {
			in.Calls = append(in.Calls, snippetCall{way[0], way[1], jsontext.Value(args)})
			want.Arguments = append(want.Arguments, migratedBy(t, doc.Migrations, way, args))
		}
	}
}

// migratedBy applies the only chain that there is between two of the versions above.
func migratedBy(t *testing.T, all []drift.Migration, way [2]string, args string) any {
	t.Helper()
	chains := map[[2]string][]int{{"v1", "v2"}: {0}, {"v1", "v3"}: {0, 1}, {"v2", "v3"}: {1}, {"v1", "v4"}: {2}, {"v1", "v5"}: {2, 3}, {"v5", "v6"}: {4}, {"v6", "v7"}: {5}}
	if chains[way] == nil {
		return nil
	}
	at := jsontext.Value(args)
	for _, i := range chains[way] {
		next, err := all[i].Apply(at)
		if err != nil {
			return nil
		}
		at = next
	}
	var v any
	if err := json.Unmarshal(at, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
