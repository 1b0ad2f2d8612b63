package report_test

import (
	"os"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/finding"
)

func ExampleFindings() {
	_ = report.Findings(os.Stdout, []finding.Finding{{
		Severity: finding.Warning,
		Title:    "12.0 % of the calls of crm/update_contact do not fit its schema (12 of 100)",
		Action:   "Add examples of the new schema to the prompt.",
	}}, report.Style{}, 0)
	// Output:
	//   warning  12.0 % of the calls of crm/update_contact do not fit its schema (12 of 100)
	//            -> Add examples of the new schema to the prompt.
}
