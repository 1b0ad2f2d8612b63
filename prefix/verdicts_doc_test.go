package prefix_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
	"github.com/tooltrail/tooltrail/prefix"
	"github.com/tooltrail/tooltrail/store/storetest"
)

// updating reports whether goldens are to be written anew: the flag of this package's other tests.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

const verdictsDoc = "../docs/cache-verdicts.md"

// judgedConversation is a conversation as the store gives it back, with what is said of it.
type judgedConversation struct {
	id     string
	reqs   []prefix.Observed
	judged []prefix.Judged
}

// judgeExchanges stores the recorded exchanges, reads back each conversation of more than one, and judges it.
func judgeExchanges(t *testing.T) []judgedConversation {
	all := readFile(t, eventstest.SharedFile(t, "llm-exchanges.jsonl"))
	db := openStore(t)
	storetest.Insert(t, db, all)
	var ids []string
	count := map[string]int{}
	for _, e := range all {
		if r, ok := e.Data.(*events.RequestPrefix); ok {
			if count[r.ConversationID]++; count[r.ConversationID] == 2 {
				ids = append(ids, r.ConversationID)
			}
		}
	}
	var list []judgedConversation
	for _, id := range ids {
		reqs, happenings, err := prefix.ReadConversation(t.Context(), db, id)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, judgedConversation{id, reqs, prefix.Judge(reqs, prefix.DefaultSettings(), happenings...)})
	}
	return list
}

// models names the models in the order in which they answered.
func (c *judgedConversation) models() string {
	var names []string
	for _, r := range c.reqs {
		if n := r.ProviderName + " " + r.RequestModel; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", then ")
}

// verdicts writes the verdicts in order; those alike in a row are counted.
func (c *judgedConversation) verdicts() string {
	var all []string
	for i := 0; i < len(c.judged); {
		s, n := inShort(&c.judged[i]), 1
		for i+n < len(c.judged) && inShort(&c.judged[i+n]) == s {
			n++
		}
		if i += n; n > 1 {
			s = fmt.Sprintf("%d x %s", n, s)
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}

func inShort(v *prefix.Judged) string {
	s := string(v.Verdict)
	for _, r := range v.Secondary {
		s += " + " + string(r)
	}
	kinds := map[prefix.ToolChangeKind]int{}
	var order []prefix.ToolChangeKind
	for _, t := range v.Tools {
		if kinds[t.Kind]++; kinds[t.Kind] == 1 {
			order = append(order, t.Kind)
		}
	}
	var notes []string
	for _, k := range order {
		notes = append(notes, fmt.Sprint(kinds[k], " ", k))
	}
	if v.Cause != prefix.CauseNone {
		notes = append(notes, "cause "+string(v.Cause))
	}
	if v.TokensLost.N > 0 {
		notes = append(notes, fmt.Sprint("lost ", v.TokensLost.N))
	}
	if len(notes) > 0 {
		s += " (" + strings.Join(notes, ", ") + ")"
	}
	return s
}

const verdictsHead = `# Verdicts on recorded exchanges

All recorded conversations with model providers that have more than one exchange, as ` + "`tooltrail`" + ` judges them out of the store, and why each
verdict is right. What follows a plus is a reason that also holds; for ` + "`ok`" + ` and ` + "`below_minimum`" + ` it cost nothing. A test of package prefix makes this table
(` + "`go test ./prefix -run RecordedExchanges -update`" + `) and fails when a verdict differs; it needs the recordings, which are not part of this repository.

| | conversation | models | requests | verdicts | why |
|---|---|---|---|---|---|
`

func TestTheVerdictsOnRecordedExchangesAreThoseOfTheTable(t *testing.T) {
	var b strings.Builder
	b.WriteString(verdictsHead)
	list := judgeExchanges(t)
	for i := range list {
		c := &list[i]
		why := whyVerdicts[c.id]
		if why == "" {
			t.Errorf("no words on %s: %s", c.id, c.verdicts())
		}
		name := strings.NewReplacer("[", `\[`, "]", `\]`, "_", `\_`).Replace(c.id)
		fmt.Fprintf(&b, "| %d | %s | %s | %d | %s | %s |\n", i+1, name, c.models(), len(c.reqs), c.verdicts(), why)
	}
	if len(list) != len(whyVerdicts) {
		t.Errorf("%d conversations, words on %d", len(list), len(whyVerdicts))
	}
	if updating() {
		if err := os.WriteFile(verdictsDoc, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(verdictsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if d := gocmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("%s is not what is judged now (-want +got):\n%s", verdictsDoc, d)
	}
}

func TestWhatIsKnownOfTheRecordedExchanges(t *testing.T) {
	for _, c := range judgeExchanges(t) {
		for i, v := range c.judged {
			if v.Compared >= 0 && c.reqs[v.Compared].ProviderName != c.reqs[i].ProviderName {
				if v.Verdict != prefix.ModelChanged || len(v.Secondary)+len(v.Tools) > 0 {
					t.Errorf("%s: request %d was handed over: %s %v %v", c.id, v.Request, v.Verdict, v.Secondary, v.Tools)
				}
			}
			if strings.Contains(c.id, "cache_prefix_stable") && (v.Verdict.Break() || len(v.Secondary) > 0) {
				t.Errorf("%s: request %d, where only a marker moved: %s %v", c.id, v.Request, v.Verdict, v.Secondary)
			}
		}
		if strings.HasPrefix(c.id, "test_deepseek/") {
			v := c.judged[1]
			got := []string{string(v.Verdict), fmt.Sprint(v.TokensLost.N), string(v.Cause), strings.Join(v.CauseNames, " ")}
			for _, tool := range v.Tools {
				got = append(got, fmt.Sprint(tool.Name, " ", tool.Kind, " ", tool.Middle))
			}
			want := []string{"tools_changed", "512", "activation", "get_player_name roll_dice", "get_player_name added true", "roll_dice added true"}
			if d := gocmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", c.id, d)
			}
		}
	}
}
