package prefix

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The requests of one conversation, and all that is said of the last one, in words.
func TestSmallConversationsComeOutAsKnown(t *testing.T) {
	const big = 270_000
	activated := Happening{Kind: HappenedActivation, Time: t0.Add(5 * time.Second), Turn: 1, Tools: []string{"LSP"}}
	var clock []Observed
	for i := range 4 {
		clock = append(clock, req(i+1, float64(9*i), 0, big, system(fmt.Sprint("t", i), "s")))
	}
	for _, tt := range []struct {
		name string
		reqs []Observed
		with []Happening
		want string
	}{
		{"a tool is added at the end", []Observed{req(1, 0, 0, big), req(2, 9, 0, big, tools("A:1,B:2,LSP:3"))}, nil, "tools_changed lost 270000 LSP added once"},
		{"two tools change places", []Observed{req(1, 0, 0, big, tools("A:1,B:2,C:3")), req(2, 9, 0, big, tools("A:1,C:3,B:2"))}, nil,
			"tools_changed lost 270000 C reordered once"},
		{"a definition goes back and forth", []Observed{req(1, 0, 0, big, tools("X:aa")), req(2, 9, 0, big, tools("X:bb")), req(3, 18, 0, big, tools("X:aa"))}, nil,
			"tools_changed lost 270000 X same_name_churn flapping"},
		{"only the system digest differs, each time", clock, nil, "system_changed lost 270000 system 0 volatile"},
		{"nothing differs, and the gap is longer than the cache lives", []Observed{req(1, 0, 0, big), req(2, 402, 0, big)}, nil, "ttl_expired lost 270000"},
		{"nothing differs, and it is not", []Observed{req(1, 0, 0, big), req(2, 102, 0, big)}, nil, "unattributed lost 270000"},
		{"an activation, then a tool in the middle", []Observed{req(1, 0, 0, big, tools("A:1,X:2")), req(2, 9, 0, big, tools("A:1,LSP:3,X:2"))}, []Happening{activated},
			"tools_changed lost 270000 LSP added in the middle once because of activation LSP"},
		{"the same where it cost nothing", []Observed{req(1, 0, 0, big, tools("A:1,X:2")), req(2, 9, big, 9, tools("A:1,LSP:3,X:2"))}, []Happening{activated},
			"ok+tools_changed lost 0 LSP added in the middle once because of activation LSP"},
		{"usage is all zero", []Observed{req(1, 0, 0, big), req(2, 9, 0, 0, noUsage)}, nil, "no_usage lost 0"},
		{"two first requests at once", []Observed{req(1, 0, 0, big, messages("x")), req(2, 1, 0, big, messages("y"))}, nil, "concurrent_cold_start lost 0"},
		{"the same prompt again before the first answer", []Observed{req(1, 0, 0, big), req(1, 1, 0, big, func(o *Observed) { o.Turn = 2 })}, nil, "concurrent_cold_start lost 0"},
		{"what has the first answer did not begin before it", []Observed{req(1, 0, 0, big), req(2, 0, 0, 0, openAI(300, 0))}, nil, "model_changed lost 300"},
		{"a run starts over", []Observed{req(1, 0, 0, big), req(2, 9, big, 10), req(3, 18, 0, big, messages("n0"))}, nil, "cold_start lost 0"},
		{"a new tool result is nobody's fault", []Observed{req(1, 0, 0, big), req(2, 9, 0, big)}, nil, "unattributed lost 270000"},
		{"content comes before time, and both are said", []Observed{req(1, 0, 0, big), req(2, 900, 0, big, system("t"), param("thinking", "x"))}, nil,
			"system_changed+params_changed+ttl_expired lost 270000 system 0 once"},
		{"time alone is not content's fault", []Observed{req(1, 0, 0, big, system("t")), req(2, 9, 0, big, system("t"), messages("m0 m1 m2")), req(3, 900, 0, big, system("t"))}, nil,
			"ttl_expired lost 270000"},
		{"another model of one provider keeps what changed beside it", []Observed{req(1, 0, 0, big), req(2, 9, 0, big, model("claude-haiku-4-5"), tools("A:1"))}, nil,
			"model_changed+tools_changed lost 270000 B removed once"},
		{"another provider hides what changed", []Observed{req(2, 0, 0, big), req(3, 9, 0, 0, openAI(9000, 0), tools("A:9"), system("t"), messages("x0 x1 x2 x3 x4"))}, nil,
			"model_changed lost 9000"},
		{"a hand-over to a short prompt", []Observed{req(1, 0, 0, 0), req(2, 9, 0, 0, openAI(300, 0))}, nil, "model_changed lost 0"},
		{"another name for a model whose cache held", []Observed{req(1, 0, 0, big), req(2, 9, big, 10, model("claude-sonnet-4-5-20250929"))}, nil, "ok lost 0"},
		{"a hand-over and back to a cache that held", []Observed{
			req(1, 0, 0, big), req(2, 9, 0, 0, openAI(9000, 0), messages("x0 x1 x2")), req(3, 18, big, 9),
		}, nil, "ok lost 0"},
		{"a cache made ahead and read by its name", []Observed{
			req(1, 0, 0, 3512, madeCache), req(2, 9, 3512, 0, messages("q")), req(3, 18, 3512, 0, messages("r")),
		}, nil, "ok lost 0"},
		{"a cache made ahead and not read", []Observed{req(1, 0, 0, 3512, madeCache), req(2, 9, 900, 0, messages("q"))}, nil, "cold_start lost 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			judged := Judge(tt.reqs, DefaultSettings(), tt.with...)
			if got := inWords(&judged[len(judged)-1]); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func madeCache(o *Observed) {
	o.UncachedInputTokens.N, o.OutputTokens.N, o.Messages = 0, 0, []string{"document"}
}

// inWords says all that was judged of a request.
func inWords(v *Judged) string {
	s := verdictsOf([]Judged{*v}) + fmt.Sprint(" lost ", v.TokensLost.N)
	for _, t := range v.Tools {
		s += " " + t.Name + " " + string(t.Kind)
		if t.Middle {
			s += " in the middle"
		}
		s += " " + string(t.Rhythm)
	}
	if v.System >= 0 {
		s += fmt.Sprint(" system ", v.System, " ", v.SystemRhythm)
	}
	if v.Cause != CauseNone {
		s += " because of " + string(v.Cause) + " " + strings.Join(v.CauseNames, ",")
	}
	return s
}

// mainAndSub is a conversation in which a sub-agent, parallel calls, a retry and a branch take turns with the main line.
func mainAndSub() []Observed {
	sub := system("sub")
	return []Observed{
		req(1, 0, 0, 9000),
		req(2, 1, 0, 3000, messages("s0"), sub),
		req(3, 9, 9000, 500, messages("m0 m1 m2")),
		req(4, 10, 9000, 600, messages("m0 m1 p2")), // beside it
		req(5, 14, 3000, 400, messages("s0 s1 s2"), sub),
		req(6, 20, 0, 0, noUsage, messages("m0 m1 m2 m3 m4")),
		req(7, 22, 9500, 300, messages("m0 m1 m2 m3 m4")), // again
		req(8, 30, 9500, 200, messages("m0 m1 m2 b3 b4")), // a branch
		req(9, 40, 9800, 100, messages("m0 m1 m2 m3 m4 m5 m6")),
	}
}

func TestInterleavedRequestsAreComparedWithTheirOwn(t *testing.T) {
	judged := Judge(mainAndSub(), DefaultSettings())
	if got := verdictsOf(judged); got != "cold_start cold_start ok ok ok no_usage ok ok ok" {
		t.Errorf("verdicts %s", got)
	}
	var compared []int
	for _, v := range judged {
		compared = append(compared, v.Compared)
	}
	if d := cmp.Diff([]int{-1, -1, 0, 0, 1, -1, 2, 2, 6}, compared); d != "" {
		t.Errorf("compared with (-want +got):\n%s", d)
	}
}

func TestAnInterleavedConversationMayArriveInAnyOrder(t *testing.T) {
	reqs := mainAndSub()
	want := Judge(reqs, DefaultSettings())
	slices.Reverse(reqs)
	got := Judge(reqs, DefaultSettings())
	slices.Reverse(got)
	for i := range got {
		if got[i].Verdict != want[i].Verdict || got[i].TokensLost != want[i].TokensLost || got[i].Request != want[i].Request {
			t.Errorf("request %d: %+v, want %+v", i+1, got[i], want[i])
		}
	}
}

func TestBranchesThatTakeTurnsDoNotFlap(t *testing.T) {
	judged := Judge([]Observed{
		req(1, 0, 0, 5000),
		req(2, 9, 0, 5000, messages("m0 a1 a2"), system("a")),
		req(3, 18, 5000, 10, messages("m0 b1 b2")),
		req(4, 27, 5000, 10, messages("m0 a1 a2 a3 a4"), system("a")),
		req(5, 36, 5010, 10, messages("m0 b1 b2 b3 b4")),
	}, DefaultSettings())
	if got := verdictsOf(judged); got != "cold_start system_changed ok ok ok" || judged[1].SystemRhythm != Once {
		t.Errorf("verdicts %s, rhythm %s", got, judged[1].SystemRhythm)
	}
}

func TestAToolThatComesAndGoesFlaps(t *testing.T) {
	judged := Judge([]Observed{
		req(1, 0, 0, 5000), req(2, 9, 0, 5000, tools("A:1,B:2,C:3")), req(3, 18, 0, 5000), req(4, 27, 0, 5000, tools("A:1")),
	}, DefaultSettings())
	var got []string
	for _, v := range judged[1:] {
		got = append(got, inWords(&v))
	}
	want := []string{
		"tools_changed lost 5000 C added flapping", "tools_changed lost 5000 C removed flapping", "tools_changed lost 5000 B removed once",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
