package report

import (
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/drift"
)

func TestAllListsRatiosByAgentVersionAndWindow(t *testing.T) {
	row := drift.ToolDrift{Server: "shop", Tool: "get", Agent: "desk", AgentVersion: "1.2"}
	row.Calls, row.Drifted, row.Ratio = 8, 2, 0.25
	r := &drift.Report{ByAgentVersion: []drift.ToolDrift{row}, Windows: []drift.WindowReport{{ByAgentVersion: []drift.ToolDrift{row}}}}
	r.Calls, r.Windows[0].Calls = 20, 8
	var all, few strings.Builder
	if err := writeAgentVersions(&all, r, Style{All: true}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(all.String(), "shop/get  desk   1.2"); n != 2 || !strings.Contains(all.String(), "25.0 %") {
		t.Errorf("have %s", all.String())
	}
	if err := writeAgentVersions(&few, r, Style{}); err != nil || few.Len() > 0 {
		t.Errorf("not asked for: have %s, %v", few.String(), err)
	}
}
