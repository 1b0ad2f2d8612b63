package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// Timeline is one conversation's requests as they were judged, for people and, as JSON, for programs. Tokens and dollars are nil where
// they are not known.
type Timeline struct {
	Conversation string `json:"conversation"`
	Agent        string `json:"agent,omitzero"`
	// Requests are in the order of the conversation.
	Requests []JudgedRequest `json:"requests"`
	// After is what happened after the last request.
	After  []HappeningLine `json:"happened_after,omitzero"`
	Totals CacheTotals     `json:"totals"`
}

// CacheTotals adds up judged requests.
type CacheTotals struct {
	Requests int64                    `json:"requests"`
	Verdicts map[prefix.Verdict]int64 `json:"verdicts"`
	// Breaks counts the requests that broke the cache, LostNothing those of them that are known to have lost nothing: hand-overs to another
	// model that found nothing to lose. TokensLost and LostUSD add up what is known of them.
	Breaks      int64    `json:"breaks"`
	LostNothing int64    `json:"breaks_that_lost_nothing"`
	TokensLost  int64    `json:"tokens_lost"`
	LostUSD     *float64 `json:"lost_cost_usd"`
	// UnknownTokens counts breaks of which it is not known how many tokens they lost, and UnknownCost those whose cost is not known: these
	// and those without a price.
	UnknownTokens int64 `json:"breaks_of_unknown_tokens"`
	UnknownCost   int64 `json:"breaks_of_unknown_cost"`
	// Unreported counts requests without any usage, but for those of the verdict no_usage.
	Unreported int64 `json:"requests_without_usage"`
	// CostUSD is what the requests cost by the price table, as far as it is known.
	CostUSD *float64 `json:"cost_usd"`
	// Agreed, Disagreed and Unclear count how the provider's own diagnoses stand beside the verdicts.
	Agreed    int64 `json:"diagnoses_agreed"`
	Disagreed int64 `json:"diagnoses_disagreed"`
	Unclear   int64 `json:"diagnoses_unclear"`
	// Models are what the requests of each model read, in the order in which they were first seen.
	Models []ModelReads `json:"models"`
}

// NewCacheTotals returns totals of nothing.
func NewCacheTotals() CacheTotals {
	return CacheTotals{Verdicts: map[prefix.Verdict]int64{}, Models: []ModelReads{}}
}

// JudgedRequest is one request and what was said of it.
type JudgedRequest struct {
	// Request counts the model's answers in the conversation from 1. ID is the id of the request's event.
	Request  int64     `json:"request"`
	ID       string    `json:"id"`
	Time     time.Time `json:"time"`
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	// Tools counts the tools in the prefix.
	Tools *int64 `json:"tools"`
	// Prompt is the whole prompt, Read and Written its parts that came from the cache and went into it; Expected should have come from it.
	Prompt    *int64           `json:"prompt_tokens"`
	Read      *int64           `json:"read_tokens"`
	Written   *int64           `json:"written_tokens"`
	Expected  *int64           `json:"expected_read_tokens"`
	Verdict   prefix.Verdict   `json:"verdict"`
	Break     bool             `json:"break"`
	Secondary []prefix.Verdict `json:"secondary"`
	// CouldRead is [prefix.Judged.CouldRead] of a request that changed and broke nothing, CouldReadUSD nil where its cost is not known.
	CouldRead    int64    `json:"could_read_tokens,omitzero"`
	CouldReadUSD *float64 `json:"could_read_usd,omitzero"`
	// Unseen are the parts (tools, system, messages) that were not recorded, so that nobody knows whether they changed.
	Unseen []string `json:"not_recorded,omitzero"`
	// TokensLost is nil for a break of which it is not known, LostUSD too for one without a price. CostUSD is what the whole request cost.
	TokensLost *int64   `json:"tokens_lost"`
	LostUSD    *float64 `json:"lost_cost_usd"`
	CostUSD    *float64 `json:"cost_usd"`
	// Compared is the number of the request that this one was compared with, and FormerModel that one's model where it is another.
	Compared       *int64   `json:"compared_with"`
	FormerModel    string   `json:"former_model,omitzero"`
	GapSeconds     *float64 `json:"gap_seconds"`
	ClockBackwards bool     `json:"clock_backwards,omitzero"`

	ToolChanges []prefix.ToolChange `json:"tool_changes,omitzero"`
	Params      []string            `json:"params,omitzero"`
	// SystemBlock and Message are the first that changed, from 0.
	SystemBlock  *int             `json:"system_block,omitzero"`
	SystemRhythm prefix.Rhythm    `json:"system_rhythm,omitzero"`
	Message      *int             `json:"message,omitzero"`
	Cause        prefix.CauseKind `json:"cause,omitzero"`
	CauseNames   []string         `json:"cause_names,omitzero"`

	Diagnosis string           `json:"provider_diagnosis,omitzero"`
	Diagnosed prefix.Verdict   `json:"diagnosis_verdict,omitzero"`
	Agreement prefix.Agreement `json:"agreement,omitzero"`
	// Before is what happened between the request before and this one.
	Before []HappeningLine `json:"happened_before,omitzero"`

	// compared is the place in the timeline of the request that this one was compared with, -1 for none.
	compared int
}

// HappeningLine is what happened between two requests.
type HappeningLine struct {
	Kind    prefix.HappeningKind `json:"kind"`
	Time    time.Time            `json:"time"`
	Turn    int64                `json:"turn,omitzero"`
	Tools   []string             `json:"tools,omitzero"`
	Servers []string             `json:"servers,omitzero"`
}

// NewTimeline puts requests and what [prefix.Judge] said of each into the order of the conversation, and what happened between them.
func NewTimeline(id string, reqs []prefix.Observed, judged []prefix.Judged, happenings []prefix.Happening) *Timeline {
	order := make([]int, len(reqs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(judged[a].Request, judged[b].Request), reqs[a].StartTime.Compare(reqs[b].StartTime))
	})
	t := &Timeline{Conversation: id, Requests: make([]JudgedRequest, 0, len(reqs)), Totals: NewCacheTotals()}
	place := make([]int, len(reqs))
	for at, i := range order {
		place[i] = at
		t.Agent = cmp.Or(t.Agent, reqs[i].AgentName)
		t.Requests = append(t.Requests, judgedRequest(&reqs[i], &judged[i]))
		t.Totals.add(&t.Requests[at])
	}
	for at, i := range order {
		if to := judged[i].Compared; to >= 0 {
			t.Requests[at].compareWith(place[to], &reqs[to], judged[to].Request)
		}
	}
	t.place(order, reqs, happenings)
	return t
}

func (r *JudgedRequest) compareWith(place int, to *prefix.Observed, number int64) {
	r.compared, r.Compared = place, &number
	if to.RequestModel != r.Model || to.ProviderName != r.Provider {
		r.FormerModel = modelName(to.ProviderName, to.RequestModel)
	}
}

func judgedRequest(o *prefix.Observed, j *prefix.Judged) JudgedRequest {
	r := JudgedRequest{
		Request: j.Request, ID: o.ID, Time: o.StartTime, Provider: o.ProviderName, Model: o.RequestModel,
		Prompt: sum(o.UncachedInputTokens, o.CacheReadInputTokens, o.CacheWrite5mInputTokens, o.CacheWrite1hInputTokens),
		Read:   o.CacheReadInputTokens.Ptr(), Written: sum(o.CacheWrite5mInputTokens, o.CacheWrite1hInputTokens),
		Expected: j.ExpectedRead.Ptr(), Verdict: j.Verdict, Break: j.Verdict.Break(), Secondary: j.Secondary,
		TokensLost: j.TokensLost.Ptr(), LostUSD: amount(j.LostUSD), CostUSD: amount(j.CostUSD),
		CouldRead: j.CouldRead, CouldReadUSD: amount(j.CouldReadUSD), Unseen: j.Unseen,
		ClockBackwards: j.ClockBackwards, ToolChanges: j.Tools, Params: j.Params, SystemRhythm: j.SystemRhythm,
		SystemBlock: index(j.System), Message: index(j.Message), Cause: j.Cause, CauseNames: j.CauseNames,
		Diagnosis: o.ProviderDiagnosis, Diagnosed: j.Diagnosed, Agreement: j.Agreement, compared: -1,
	}
	if o.ToolsKnown {
		n := int64(len(o.Tools))
		r.Tools = &n
	}
	if j.Compared >= 0 {
		gap := j.Gap.Seconds()
		r.GapSeconds = &gap
	}
	if r.Secondary == nil {
		r.Secondary = []prefix.Verdict{}
	}
	if r.LostUSD == nil && r.TokensLost != nil && *r.TokensLost == 0 { // nothing lost costs nothing, whatever the price
		r.LostUSD = new(float64)
	}
	return r
}

// place puts each happening before the request that followed it: by turn where both say one, else by time.
func (t *Timeline) place(order []int, reqs []prefix.Observed, happenings []prefix.Happening) {
	byTime := slices.Clone(happenings)
	slices.SortStableFunc(byTime, func(a, b prefix.Happening) int { return a.Time.Compare(b.Time) })
	for _, h := range byTime {
		next := len(order)
		for next > 0 && follows(&h, &reqs[order[next-1]]) {
			next--
		}
		line := HappeningLine{Kind: h.Kind, Time: h.Time, Turn: h.Turn, Tools: h.Tools, Servers: h.Servers}
		if next == len(order) {
			t.After = append(t.After, line)
			continue
		}
		t.Requests[next].Before = append(t.Requests[next].Before, line)
	}
}

// follows reports whether a request was sent after what happened. Within one turn the clock tells: what a request already shows is said to
// have happened in its own turn.
func follows(h *prefix.Happening, o *prefix.Observed) bool {
	if h.Turn > 0 && o.Turn > 0 && (h.Turn != o.Turn || h.Time.IsZero()) {
		return o.Turn > h.Turn
	}
	return !h.Time.After(o.StartTime)
}

// add counts one request.
func (c *CacheTotals) add(r *JudgedRequest) {
	c.Requests++
	c.Verdicts[r.Verdict]++
	addTo(&c.CostUSD, r.CostUSD)
	c.addReads(r)
	if r.Prompt == nil && r.Verdict != prefix.NoUsage {
		c.Unreported++
	}
	switch r.Agreement {
	case prefix.Agrees:
		c.Agreed++
	case prefix.Disagrees:
		c.Disagreed++
	case prefix.Unclear:
		c.Unclear++
	}
	if !r.Break {
		return
	}
	c.Breaks++
	addTo(&c.LostUSD, r.LostUSD)
	if r.LostUSD == nil {
		c.UnknownCost++
	}
	if r.TokensLost == nil {
		c.UnknownTokens++
		return
	}
	if *r.TokensLost == 0 {
		c.LostNothing++
	}
	c.TokensLost = prefix.AddTokens(c.TokensLost, *r.TokensLost)
}

// Add adds the totals of another conversation.
func (c *CacheTotals) Add(d *CacheTotals) {
	if c.Verdicts == nil {
		c.Verdicts = map[prefix.Verdict]int64{}
	}
	for v, n := range d.Verdicts {
		c.Verdicts[v] += n
	}
	c.Requests += d.Requests
	c.Breaks += d.Breaks
	c.LostNothing += d.LostNothing
	c.TokensLost = prefix.AddTokens(c.TokensLost, d.TokensLost)
	c.UnknownTokens += d.UnknownTokens
	c.UnknownCost += d.UnknownCost
	c.Unreported += d.Unreported
	c.Agreed += d.Agreed
	c.Disagreed += d.Disagreed
	c.Unclear += d.Unclear
	addTo(&c.LostUSD, d.LostUSD)
	addTo(&c.CostUSD, d.CostUSD)
	c.addModels(d.Models)
}

// addTo adds an amount where it is known.
func addTo(total **float64, v *float64) {
	if v == nil {
		return
	}
	if *total == nil {
		*total = new(float64)
	}
	**total += *v
}

// sum adds what is known; nil where nothing is.
func sum(all ...events.Count) *int64 {
	var total events.Count
	for _, c := range all {
		if c.Known {
			total = events.Tokens(prefix.AddTokens(total.N, c.N))
		}
	}
	return total.Ptr()
}

func amount(a events.Amount) *float64 {
	if !a.Known {
		return nil
	}
	return &a.USD
}

func index(n int) *int {
	if n < 0 {
		return nil
	}
	return &n
}
