package finding_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/finding"
)

func TestWindowsAreArgumentsOfQueries(t *testing.T) {
	from, to := time.UnixMicro(5), time.UnixMicro(9)
	end := time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	for _, c := range []struct {
		name   string
		window finding.Window
		more   []any
		want   []any
	}{
		{"all of time", finding.Window{}, nil, []any{int64(0), end}},
		{"from a time on", finding.Window{From: from}, nil, []any{int64(5), end}},
		{"until a time", finding.Window{To: to}, nil, []any{int64(0), int64(9)}},
		{"and more arguments", finding.Window{From: from, To: to}, []any{3, "x"}, []any{int64(5), int64(9), 3, "x"}},
	} {
		if diff := cmp.Diff(c.want, c.window.Args(c.more...)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestTheSameFactHasTheSameFingerprintWhateverItsNumbers(t *testing.T) {
	a := finding.Finding{Detector: "drift", Rule: "r", Subject: finding.Subject{Tool: "t"}, Numbers: map[string]float64{"calls": 1}}
	b, other := a, a
	b.Numbers, b.Severity = map[string]float64{"calls": 2}, finding.Critical
	other.Subject.Model = "m"
	a.Sign()
	b.Sign()
	other.Sign()
	if a.Fingerprint != b.Fingerprint || a.Fingerprint == other.Fingerprint || len(a.Fingerprint) != 32 {
		t.Errorf("%q, %q and %q", a.Fingerprint, b.Fingerprint, other.Fingerprint)
	}
}

func ExampleSeverity_Rank() {
	fmt.Println(finding.Critical.Rank() > finding.Warning.Rank(), finding.Severity("loud").Rank())
	// Output: true -1
}
