package capture

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

// chatRequest is a request with a history and tools of some names.
func chatRequest(history string, tools ...string) string {
	list := ""
	for i, name := range tools {
		if i > 0 {
			list += ","
		}
		list += `{"type":"function","function":{"name":"` + name + `","parameters":{}}}`
	}
	return `{"model":"m","messages":[{"role":"user","content":"go"}` + history + `],"tools":[` + list + `]}`
}

func TestToolsThatAToolOfTheAgentsOwnLoadedAreActivations(t *testing.T) {
	call := `,{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"load_capability","arguments":"{}"}}]}`
	named := call + `,{"role":"tool","tool_call_id":"c1","content":"{\"discovered_tools\":[{\"name\":\"roll_dice\"}]}"}`
	silent := call + `,{"role":"tool","tool_call_id":"c1","content":"roll_dice is there now"}`
	for name, tt := range map[string]struct {
		second, third string
		want          []string
	}{
		"a result names it":            {chatRequest(named, "load_capability", "other", "roll_dice"), "", []string{"roll_dice"}},
		"a result speaks of it":        {chatRequest(silent, "load_capability", "roll_dice"), "", nil},
		"no result":                    {chatRequest("", "load_capability", "roll_dice"), "", nil},
		"it was there before":          {chatRequest(named, "load_capability"), "", nil},
		"it comes long after":          {chatRequest(named, "load_capability"), chatRequest(named+`,{"role":"user","content":"on"}`, "load_capability", "roll_dice"), nil},
		"the history starts over":      {`{"model":"m","messages":[{"role":"user","content":"new"}` + named + `],"tools":[]}`, "", nil},
		"it came and is offered again": {chatRequest(named, "load_capability", "roll_dice"), chatRequest(named+`,{"role":"user","content":"on"}`, "load_capability", "roll_dice"), []string{"roll_dice"}},
	} {
		answer := `{"choices":[{"message":{"role":"assistant","content":"x"}}]}`
		log := logged("x", "deepseek", chatRequest("", "load_capability"), answer) + logged("x", "deepseek", tt.second, answer)
		if tt.third != "" {
			log += logged("x", "deepseek", tt.third, answer)
		}
		var loaded []string
		for _, a := range of[*events.Activation](mustRead(t, log, Options{})) {
			if a.Via != events.ViaActivationTool || a.Turn != 2 {
				t.Errorf("%s: %+v", name, a)
			}
			loaded = append(loaded, a.Loaded...)
		}
		if d := cmp.Diff(tt.want, loaded); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestTheSharedExchangesShowWhichToolsWereLoadedByTheAgent(t *testing.T) {
	all, _ := captureAll(t, eventstest.SharedFile(t, "llm-exchanges.jsonl"), Options{})
	var loaded []string
	for _, e := range all {
		if a, ok := e.Data.(*events.Activation); ok && a.Via == events.ViaActivationTool {
			loaded = append(loaded, a.Loaded...)
		}
	}
	want := []string{"lookup_refund_policy", "get_exchange_rate", "stock_lookup", "get_player_name", "roll_dice"}
	if d := cmp.Diff(want, loaded); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
