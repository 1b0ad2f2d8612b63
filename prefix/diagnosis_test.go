package prefix

import "testing"

func diagnosed(words string) opt { return func(o *Observed) { o.ProviderDiagnosis = words } }

func TestTheProvidersWordsAreHeldAgainstTheVerdict(t *testing.T) {
	for _, tt := range []struct {
		name string
		reqs []Observed
		want string // of the last request
	}{
		{"the same", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, tools("A:1"), diagnosed("tools_changed"))}, "tools_changed tools_changed agrees"},
		{"a secondary reason", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, tools("A:1"), system("t"), diagnosed("system_changed"))},
			"tools_changed system_changed agrees"},
		{"a risk", []Observed{req(1, 0, 0, 5000), req(2, 9, 5000, 9, system("t"), diagnosed("system_changed"))}, "ok system_changed agrees"},
		{"something else", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, tools("A:1"), diagnosed("model_changed"))}, "tools_changed model_changed disagrees"},
		{"a miss where there was none", []Observed{req(1, 0, 0, 5000), req(2, 9, 5000, 9, diagnosed("messages_changed"))}, "ok messages_changed disagrees"},
		{"a hit where there was none", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, diagnosed("cache_hit"))}, "unattributed ok disagrees"},
		{"a hit", []Observed{req(1, 0, 0, 5000), req(2, 9, 5000, 9, diagnosed("cache_hit"))}, "ok ok agrees"},
		{"a compaction in the words of a provider that has none for it", []Observed{
			req(9, 0, 0, 5000), req(10, 9, 1000, 4000, messages("SUMMARY"), diagnosed("messages_changed")),
		}, "compaction compaction agrees"},
		{"instructions are input", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, system("t"), diagnosed("input_changed"))}, "system_changed system_changed agrees"},
		{"a parameter of its own", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, param("reasoning.effort", "x"), diagnosed("reasoning_effort_changed"))},
			"params_changed params_changed agrees"},
		{"it could not tell", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, diagnosed("previous_message_not_found"))}, "unattributed  unclear"},
		{"words of tomorrow", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000, diagnosed("moon_changed"))}, "unattributed  unclear"},
		{"none", []Observed{req(1, 0, 0, 5000), req(2, 9, 0, 5000)}, "unattributed  "},
	} {
		judged := Judge(tt.reqs, DefaultSettings())
		v := judged[len(judged)-1]
		if got := string(v.Verdict) + " " + string(v.Diagnosed) + " " + string(v.Agreement); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestEveryDiagnosisStandsForVerdictsThatThereAre(t *testing.T) {
	known := map[Verdict]bool{}
	for _, v := range Verdicts() {
		known[v] = true
	}
	for words, list := range diagnoses {
		for _, v := range list {
			if !known[v] {
				t.Errorf("%s stands for %s", words, v)
			}
		}
	}
}
