package activation_test

import (
	"testing"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func TestRecordedExchangesBreakNoRuleOnNames(t *testing.T) {
	all := recording(t, "llm-exchanges.jsonl", capture.Options{})
	db := openStore(t)
	storetest.Insert(t, db, all)
	report, _ := analyze(t, db)
	if report.Calls == 0 || report.Judged != report.Calls {
		t.Errorf("%d calls, %d judged", report.Calls, report.Judged)
	}
	for _, name := range []string{
		string(events.ResolvedNotActivated), string(events.ResolvedRenamed), string(events.ResolvedNotConnected),
		string(events.ResolvedNotPermitted), string(events.ResolvedConnectorName), string(events.ResolvedPrefixRepair),
		string(events.ResolvedGuessed), string(events.ResolvedUnknown), activation.RuleMadeUpID, activation.RuleNameCollision,
	} {
		if rule := report.Rules[name]; rule == nil || rule.Count != 0 {
			t.Errorf("%s: %+v", name, rule)
		}
	}
}
