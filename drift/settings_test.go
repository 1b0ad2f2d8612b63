package drift

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestSettingsThatMakeNoSenseAreAllNamed(t *testing.T) {
	if err := DefaultSettings().Validate(); err != nil {
		t.Error(err)
	}
	half, none, over := 0.5, uint64(0), -1.0
	s := DefaultSettings()
	s.WarnRatio, s.RetryMultiple, s.ErrorsInRow, s.MinTools = 0.3, 0, 0, -1
	s.Windows = []WindowSettings{{Length: time.Second, MinCalls: 1}, {Length: 90 * time.Second, MinCalls: 1}, {Length: time.Hour}, {Length: time.Hour, MinCalls: 1}}
	s.Sunset = SunsetSettings{AfterDays: -1, OverDays: 0, MaxShare: 1.5}
	s.Canary = CanarySettings{Margin: 0, CriticalDifference: 2}
	s.Tools = map[string]ToolSettings{"shop/order": {WarnRatio: &half, ErrorsInRow: &none, RetryMultiple: &over}}
	err := s.Validate()
	if err == nil {
		t.Fatal("they are taken")
	}
	for _, want := range []string{
		"warn_ratio 0.3", "retry_multiple 0", "errors_in_row", "min_tools -1", "windows[0].length 1s", "windows[1].length 1m30s", "windows[2].min_calls",
		"sunset.after_days -1", "sunset.over_days 0", "sunset.max_share 1.5", "canary.margin 0", "canary.critical_difference 2",
		`tools["shop/order"].warn_ratio 0.5`, `tools["shop/order"].errors_in_row`, `tools["shop/order"].retry_multiple -1`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not named in:\n%v", want, err)
		}
	}
}

func TestTheSmallestNumberOfErrorsInARowIsAskedFor(t *testing.T) {
	two := uint64(2)
	s := DefaultSettings()
	s.Tools = map[string]ToolSettings{"shop/*": {ErrorsInRow: &two}}
	if got := s.leastErrorsInRow(); got != 2 {
		t.Errorf("%d", got)
	}
	if got := s.Of(Key{"shop", "order"}).ErrorsInRow; got != 2 {
		t.Errorf("%d for the tool", got)
	}
	if got := s.Of(Key{"crm", "order"}).ErrorsInRow; got != 3 {
		t.Errorf("%d for another", got)
	}
}

func TestTheReportsPathsAreThere(t *testing.T) {
	r := newReport()
	r.Windows = []WindowReport{(&span{WindowSettings: WindowSettings{Length: time.Hour}}).report(time.Time{})}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		`"calls":0`, `"ratio":0`, `"tools":[]`, `"by_tool":[]`, `"definitions":[]`, `"retries":[]`, `"error_runs":[]`, `"canaries":[]`, `"sunsets":[]`,
		`"flags":[]`, `"flags_unchecked":0`, `"window":"1h"`, `"seconds":3600`, `"by_model":[]`, `"by_agent_version":[]`,
	} {
		if !strings.Contains(string(raw), path) {
			t.Errorf("%s is not in %s", path, raw)
		}
	}
}
