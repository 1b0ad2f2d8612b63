package report_test

import (
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cli/report"
)

func TestAReportThatLacksAPartSaysSo(t *testing.T) {
	var out strings.Builder
	r := &analyzer.Report{Events: map[string]int64{"tool_call": 3}, Incomplete: []string{"prefix: out of memory"}}
	if err := report.Write(&out, r, report.Style{Width: 100}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Incomplete, and what it leaves empty says nothing: prefix: out of memory.") {
		t.Errorf("the report hides that a part is missing:\n%s", out.String())
	}
}
