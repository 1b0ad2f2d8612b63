package drift_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// documents are documents as a registry has them.
type documents []*drift.Document

func (d documents) Keys() []drift.Key {
	var keys []drift.Key
	for i := range d {
		keys = append(keys, d[i].Key())
	}
	return keys
}

func (d documents) Document(k drift.Key) *drift.Document {
	for i := range d {
		if d[i].Key() == k {
			return d[i]
		}
	}
	return nil
}

const orderV2 = `{"name":"process_order","inputSchema":{"type":"object","properties":{"quantity":{"type":"integer","minimum":1},"unit":{"enum":["kg","t"]}},"required":["quantity","unit"]}}`

// versions is the document of a tool of these tests: v1 replaced by v2 so many days before noon.
func versions(tool string, days float64) *drift.Document {
	since := noon.Add(-time.Duration(days * float64(24*time.Hour)))
	return &drift.Document{
		Server: "shop", Tool: tool, Managed: true,
		Versions: []drift.VersionEntry{
			{Version: "v1", State: drift.StateLegacy, Since: since, Definition: []byte(`{"name":"process_order"}`)},
			{Version: "v2", State: drift.StateActive, Since: since, Definition: []byte(orderV2)},
		},
	}
}

func TestAFindingOnARatioShowsTheSmallestValidCall(t *testing.T) {
	db := openStore(t)
	storetest.Insert(t, db, calls(100, 10, time.Minute, order))
	_, found := at(t, db, drift.DefaultSettings(), documents{versions("process_order", 1)})
	f := only(t, found, drift.RuleRatio, shopOrder)
	if f == nil || f.Example == "" {
		t.Fatalf("finding %+v", f)
	}
	schema, err := drift.Compile([]byte(orderV2))
	if err != nil {
		t.Fatal(err)
	}
	if v := schema.Classify([]byte(f.Example)); v.Class != events.DriftCurrent {
		t.Errorf("%s is %s", f.Example, v.Class)
	}
}

func TestAVersionCanGoSixWeeksAfterItWasReplacedWithUnderOnePercentOfTheCalls(t *testing.T) {
	cases := []struct {
		name    string
		days    float64
		v1, v2  int
		unknown int
		why     string
	}{
		{"long enough and rare enough", 42, 9, 1200, 0, ""},
		{"a second too soon", 42 - 1.0/86400, 9, 1200, 0, "less than 42 days ago"},
		{"exactly one percent", 60, 10, 990, 0, "want under 1.0 %"},
		{"just under one percent", 60, 10, 1000, 0, ""},
		{"nobody knows of what version", 60, 0, 990, 10, "10 of them, of no known version"},
		{"too few calls", 60, 0, 300, 0, "say little"},
	}
	var known documents
	var all []*events.Event
	for _, c := range cases {
		known = append(known, versions(c.name, c.days))
		for version, n := range map[string]int{"v1": c.v1, "v2": c.v2, "": c.unknown} {
			call := events.ToolCall{Server: "shop", ToolName: c.name, UsedVersion: version}
			for i := range n {
				all = append(all, calls(1, 0, time.Hour+time.Duration(i%160)*time.Hour, call)...)
			}
		}
		all = append(all, calls(50, 0, 8*24*time.Hour, events.ToolCall{Server: "shop", ToolName: c.name})...)
	}
	db := openStore(t)
	storetest.Insert(t, db, all)
	r, found := at(t, db, drift.DefaultSettings(), known)
	for i, c := range cases {
		s := r.Sunsets[i]
		if s.Tool != c.name || s.Calls != uint64(c.v1+c.v2+c.unknown) || s.OldCalls != uint64(c.v1) || s.DaysCovered != 7 || s.Ready != (c.why == "") {
			t.Errorf("%+v", s)
		}
		if got := strings.Join(s.NotYet, "; "); !strings.Contains(got, c.why) || len(s.NotYet) > 1 {
			t.Errorf("%s: not yet: %q, want %q", c.name, got, c.why)
		}
		f := only(t, found, drift.RuleSunsetReady, finding.Subject{Server: "shop", Tool: c.name, Release: "v1"})
		if (f != nil) != s.Ready || f != nil && f.Severity != finding.Info {
			t.Errorf("%s: finding %+v", c.name, f)
		}
		if f != nil && !strings.Contains(f.Title, fmt.Sprintf("%d of %d calls in 7 days", c.v1, c.v1+c.v2)) {
			t.Errorf("title %q", f.Title)
		}
	}
}

func TestASunsetWaitsUntilCallsAreStoredForLongEnough(t *testing.T) {
	db := openStore(t)
	c := order
	c.UsedVersion = "v2"
	storetest.Insert(t, db, append(calls(600, 0, 2*time.Hour, c), calls(600, 0, 50*time.Hour, c)...))
	r, _ := at(t, db, drift.DefaultSettings(), documents{versions("process_order", 100)})
	if s := r.Sunsets[0]; s.Ready || s.DaysCovered != 2 || len(s.NotYet) != 1 || !strings.Contains(s.NotYet[0], "2 of the last 7 days") {
		t.Errorf("%+v", s)
	}
}

// trial is a canary of v2 that started an hour before noon.
func trial(tool string) *drift.Document {
	d := versions(tool, 100)
	d.Versions[0].State, d.Versions[1].State = drift.StateActive, drift.StateCanary
	d.Canary = &drift.Canary{Version: "v2", Share: 0.1, HashKey: "k", StartedAt: noon.Add(-time.Hour)}
	return d
}

// cohort makes calls of a tool in a cohort, five a conversation.
func cohort(tool, name string, n, drifted int) []*events.Event {
	c := order
	c.ToolName = tool
	c.Cohort, c.ActiveVersion = name, map[string]string{"canary": "v2", "baseline": "v1"}[name]
	all := calls(n, drifted, time.Minute, c)
	for i, e := range all {
		e.Data.(*events.ToolCall).ConversationID = fmt.Sprint(name, i/5)
	}
	return all
}

func TestACanaryIsHeldAgainstTheBaseline(t *testing.T) {
	cases := []struct {
		name                              string
		canary, drifted, others, baseline int
		want                              drift.CanaryVerdict
		severity                          finding.Severity
	}{
		{"the same", 500, 10, 4500, 90, drift.CanaryNoWorse, ""},
		{"clearly worse", 200, 40, 1800, 36, drift.CanaryWorse, finding.Warning},
		{"worse by over twenty points", 200, 60, 1800, 36, drift.CanaryWorse, finding.Critical},
		{"a few calls", 40, 10, 400, 8, drift.CanaryTooEarly, ""},
		{"not sure yet", 100, 5, 900, 27, drift.CanaryTooEarly, ""},
		{"nothing yet", 0, 0, 0, 0, drift.CanaryTooEarly, ""},
	}
	var known documents
	var all []*events.Event
	for _, c := range cases {
		known = append(known, trial(c.name))
		before := cohort(c.name, "canary", 50, 50)
		for _, e := range before {
			e.Time = noon.Add(-2 * time.Hour)
		}
		stranger := events.ToolCall{Server: "shop", ToolName: c.name, ActiveVersion: "v1"}
		stranger.Cohort = "canary"
		all = join(all, before, calls(7, 7, time.Minute, stranger), cohort(c.name, "canary", c.canary, c.drifted), cohort(c.name, "baseline", c.others, c.baseline))
	}
	db := openStore(t)
	storetest.Insert(t, db, all)
	r, found := at(t, db, drift.DefaultSettings(), known)
	for i, c := range cases {
		got := r.Canaries[i]
		if got.Verdict != c.want || got.CanaryCalls.Calls != uint64(c.canary) || got.BaselineCalls.Calls != uint64(c.others) || got.LeftOut != 7 {
			t.Errorf("%+v, want %s", got, c.want)
		}
		if (got.CallsNeeded > 0) != (c.want == drift.CanaryTooEarly) {
			t.Errorf("%s: %s needs %d calls", c.name, got.Verdict, got.CallsNeeded)
		}
		severity := finding.Severity("")
		if f := only(t, found, drift.RuleCanaryWorse, finding.Subject{Server: "shop", Tool: c.name, Release: "v2"}); f != nil {
			severity = f.Severity
		}
		if severity != c.severity {
			t.Errorf("%s: severity %q, want %q", c.name, severity, c.severity)
		}
	}
}

func TestACanaryThatFailsMoreIsWorseThoughItDriftsNoMore(t *testing.T) {
	db := openStore(t)
	failing := cohort("process_order", "canary", 200, 0)
	for i, e := range failing {
		if i%4 == 0 {
			e.Data.(*events.ToolCall).Outcome = events.OutcomeExecutionError
		}
	}
	storetest.Insert(t, db, append(failing, cohort("process_order", "baseline", 1800, 0)...))
	r, found := at(t, db, drift.DefaultSettings(), documents{trial("process_order")})
	c := r.Canaries[0]
	if c.Verdict != drift.CanaryWorse || c.DriftVerdict != drift.CanaryNoWorse || c.ErrorVerdict != drift.CanaryWorse || c.Errors.Value != 0.25 {
		t.Errorf("%+v", c)
	}
	f := only(t, found, drift.RuleCanaryWorse, finding.Subject{Server: "shop", Tool: "process_order", Release: "v2"})
	if want := "The canary v2 of shop/process_order does worse than v1: errors 25.0 %, 0.0 % of the others (200 and 1800 calls)"; f == nil || f.Title != want {
		t.Errorf("finding %+v", f)
	}
}

func TestCallsOfOneConversationAreTooFewForAVerdict(t *testing.T) {
	db := openStore(t)
	all := append(cohort("process_order", "canary", 500, 250), cohort("process_order", "baseline", 4500, 0)...)
	for _, e := range all {
		c := e.Data.(*events.ToolCall)
		c.ConversationID = c.Cohort
	}
	storetest.Insert(t, db, all)
	r, _ := at(t, db, drift.DefaultSettings(), documents{trial("process_order")})
	if c := r.Canaries[0]; c.Verdict != drift.CanaryTooEarly || c.ConversationsNeeded != 9 {
		t.Errorf("%+v", c)
	}
}
