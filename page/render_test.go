package page_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/page"
)

var update = flag.Bool("update", false, "write testdata/*.html")

// one is findings that are known beforehand, for pages whose every byte is looked at.
type one struct{ f finding.Finding }

func (o one) Find(context.Context, page.Filter) ([]finding.Finding, error) {
	return []finding.Finding{o.f}, nil
}

func (o one) History(context.Context, string) ([]finding.Action, error) {
	return []finding.Action{{At: noon.Add(time.Hour), Act: finding.Acknowledge, By: "ada", Why: "looking <at> it"}}, nil
}

func (one) Rows(context.Context, string) (page.Answer, error) { return page.Answer{}, nil }

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestTheHTMLOfAFindingAndOfTheListIsAsItWas holds two small pages against files. Rewrite them with -update.
func TestTheHTMLOfAFindingAndOfTheListIsAsItWas(t *testing.T) {
	f := finding.Finding{
		Detector: "drift", Rule: "drift_ratio", Severity: finding.Critical, Subject: finding.Subject{Server: "billing", Tool: "<script>refund</script>", Model: "m\u202e1"},
		Numbers: map[string]float64{"ratio": 0.25, "calls": 1200, "cost_usd": 0.5}, Title: "25 % of the calls of <script>refund</script> drifted",
		Action: "Pin the model's version.", Example: `{"amount": 1}`, FirstSeen: noon, LastSeen: noon.Add(time.Hour), Began: noon.Add(-time.Hour),
		LastEvent: noon, State: finding.Open, Owner: "payments",
		Changes: []finding.Change{{At: noon.Add(-2 * time.Hour), Text: "began 1 hour after agent version 12 of desk was first seen"}},
	}
	f.Sign()
	b := serve(t, page.Sources{Database: one{f}, Findings: one{f}}, func(c *page.Config) {
		c.Runbooks, c.Now = nil, func() time.Time { return noon.Add(2 * time.Hour) }
	})
	for name, path := range map[string]string{"finding.html": "/findings/" + f.Fingerprint, "findings.html": "/findings", "empty.html": "/conversation"} {
		_, got, _ := b.get(path)
		got = assetVersions.ReplaceAllString(got, "?v=0")
		file := "testdata/" + name
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s is not what it was; rewrite it with -update if that is meant:\n%s", file, diff)
		}
	}
}
