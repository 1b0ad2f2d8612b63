package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/prefix"
)

// Risk is one way in which what was sent changed without a break: nothing had been in the cache that could be lost, or what there was had
// not changed. The same change costs tokens once the prompt is cached.
type Risk struct {
	Verdict prefix.Verdict `json:"verdict"`
	// What says what changed and how it keeps changing.
	What string `json:"what"`
	// Requests counts those that it was found at, TooShort those of them whose prompt was too short to be cached.
	Requests int64 `json:"requests"`
	TooShort int64 `json:"too_short_to_cache"`
	// CouldRead and CouldReadUSD add up [prefix.Judged.CouldRead] of these requests: what could have come from the cache of a model that was never
	// seen to cache here. CouldReadUSD is nil where nothing of it is known.
	CouldRead    int64    `json:"could_read_tokens"`
	CouldReadUSD *float64 `json:"could_read_usd"`
	// Conversation and Request are where it was found first.
	Conversation string `json:"conversation"`
	Request      int64  `json:"request"`
}

// AddRisks adds what is at risk in a conversation to those of others.
func AddRisks(all []Risk, t *Timeline) []Risk {
	for i := range t.Requests {
		r := &t.Requests[i]
		if r.Break || len(r.Secondary) == 0 {
			continue
		}
		what := r.riskText()
		at := slices.IndexFunc(all, func(x Risk) bool { return x.Verdict == r.Secondary[0] && x.What == what })
		if at < 0 {
			at = len(all)
			all = append(all, Risk{Verdict: r.Secondary[0], What: what, Conversation: t.Conversation, Request: r.Request})
		}
		all[at].Requests++
		if r.Verdict == prefix.BelowMinimum {
			all[at].TooShort++
		}
		all[at].CouldRead = prefix.AddTokens(all[at].CouldRead, r.CouldRead)
		addTo(&all[at].CouldReadUSD, r.CouldReadUSD)
	}
	return all
}

// SortRisks puts those first that are about the most tokens.
func SortRisks(all []Risk) {
	slices.SortStableFunc(all, func(a, b Risk) int {
		return cmp.Or(-cmp.Compare(a.CouldRead, b.CouldRead), -cmp.Compare(a.Requests, b.Requests))
	})
}

// riskText says what changed, without what is of one request alone.
func (r *JudgedRequest) riskText() string {
	alike := *r
	alike.Message = nil
	alike.ToolChanges = slices.Clone(r.ToolChanges)
	for i := range alike.ToolChanges {
		alike.ToolChanges[i].Index, alike.ToolChanges[i].Middle = 0, false
	}
	text := strings.Join(notEmpty([]string{toolNames(alike.ToolChanges), alike.systemText(), alike.paramText()}), "; ")
	if text == "" {
		text = verdictWords[r.Secondary[0]]
	}
	return text
}

// toolNames names tools that changed, without their places.
func toolNames(changes []prefix.ToolChange) string {
	var parts []string
	for _, c := range changes {
		parts = append(parts, toolKindText(&c)+" "+c.Name)
	}
	if len(parts) == 0 {
		return ""
	}
	return "tools " + few(parts)
}

// maxRisks is how many risks are listed.
const maxRisks = 5

// WriteRisks prints risks in the order given, the first ones or, with [Style.All], all of them.
func WriteRisks(w io.Writer, all []Risk, s Style) error {
	if len(all) == 0 {
		return nil
	}
	t := &table{columns: []column{
		{title: "changed"}, {title: "conversation", flex: true, drop: 1}, {title: "first request", right: true, drop: 2}, {title: "requests", right: true},
		{title: "could have read", right: true}, {title: "cost", right: true, drop: 3},
	}}
	for i := range all[:s.most(maxRisks, len(all))] {
		r := &all[i]
		t.row(string(r.Verdict), named(r.Conversation), strconv.FormatInt(r.Request, 10), Count(r.Requests), r.couldReadText(), r.costText())
		t.under(r.What)
	}
	return titled(w, s, "Risks: what was sent changed, and it cost nothing this time:", t, len(all), maxRisks, "risk")
}

func (r *Risk) couldReadText() string {
	if r.TooShort == r.Requests {
		return "too short"
	}
	if r.CouldRead == 0 {
		return "-"
	}
	return Tokens(r.CouldRead)
}

func (r *Risk) costText() string {
	if r.CouldRead == 0 {
		return "-"
	}
	return FineUSD(r.CouldReadUSD)
}

// Text says a risk in one sentence.
func (r *Risk) Text() string {
	text := fmt.Sprintf("%s in %s: %s", r.Verdict, Plural(r.Requests, "request"), r.What)
	if r.TooShort == r.Requests {
		return text + " (too short to be cached)"
	}
	if r.CouldRead == 0 {
		return text
	}
	return text + "; " + Count(r.CouldRead) + " tokens could have been read"
}
