package ingest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/ingest"
)

func TestTheSnippetForRostersWorksAndItsDigestsAreThoseOfTheClient(t *testing.T) {
	const command = "python3 -B docs/snippets/roster.py"
	doc, err := os.ReadFile("../docs/intake.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "\n"+command+"\n") {
		t.Errorf("intake.md does not say %s", command)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	js := startBroker(t).connect()
	makeStreams(t, js)
	sink := newMemory()
	run(t, js, sink, quick())
	url := startIntake(t, js, func(c *ingest.IntakeConfig) { c.Token = "s3cret" })
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "TOOLTRAIL_URL="+strings.TrimSuffix(url, ingest.IntakePath), "TOOLTRAIL_INTAKE_TOKEN=s3cret")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var a ingest.IntakeAnswer
	if err := json.Unmarshal(out, &a); err != nil || a.Accepted != 5 {
		t.Fatalf("answer %s", out)
	}
	of := func(k events.Kind) []events.Row { return sink.of(events.Subject(0, k)) }
	eventually(t, "all stored", func() bool {
		return len(of(events.KindToolDefinition)) == 2 && len(of(events.KindToolRoster)) == 1 && len(of(events.KindToolCall)) == 1 &&
			len(of(events.KindActivation)) == 1
	})
	told := map[string]events.RosterTool{}
	roster := of(events.KindToolRoster)[0].Event.Data.(*events.ToolRoster)
	for _, tool := range roster.Tools {
		told[tool.Name] = tool
	}
	for _, row := range of(events.KindToolDefinition) {
		d := row.Event.Data.(*events.ToolDefinition)
		want, err := events.Digester{}.Tool(d.Definition)
		if err != nil {
			t.Fatal(err)
		}
		if d.DefinitionDigest != want.Definition || d.SchemaDigest != want.Schema || told[d.ToolName].DefinitionDigest != want.Definition {
			t.Errorf("%s: definition %s, schema %s; want %+v", d.ToolName, d.DefinitionDigest, d.SchemaDigest, want)
		}
	}
	call := *of(events.KindToolCall)[0].Event // the ingester may still count it
	c := *call.Data.(*events.ToolCall)
	call.Data = &c
	r := ingest.NewResolver(ingest.DefaultResolverConfig(), nil)
	r.Enrich(of(events.KindToolRoster)[0].Event)
	r.Enrich(of(events.KindActivation)[0].Event)
	r.Enrich(&call)
	if c.Resolution != events.ResolvedOK || c.Server != "shop" {
		t.Errorf("resolution %q of %q", c.Resolution, c.Server)
	}
}
