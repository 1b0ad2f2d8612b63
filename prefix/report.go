package prefix

import (
	"cmp"
	"slices"

	"github.com/tooltrail/tooltrail/events"
)

// Report is what [Analyze] says of all requests in a window. Dollars are nil where nothing that they would add up is known.
type Report struct {
	// Requests counts all requests, those without usage too.
	Requests int64 `json:"requests"`
	// Verdicts has the verdicts that occur.
	Verdicts map[Verdict]*Total `json:"verdicts"`
	// Risks counts requests whose prefix changed without a break, by what changed.
	Risks map[Verdict]int64 `json:"risks"`
	// TokensLost and LostUSD add up all breaks; UnpricedBreaks counts those whose cost is not known, so that LostUSD is what was lost at least.
	TokensLost     int64    `json:"tokens_lost"`
	LostUSD        *float64 `json:"lost_cost_usd"`
	UnpricedBreaks int64    `json:"unpriced_breaks,omitzero"`
	// CostUSD is what the requests cost by the price table; Unpriced counts those that used something it has no price for.
	CostUSD  *float64 `json:"cost_usd"`
	Unpriced int64    `json:"unpriced_requests"`
	// StatedCostUSD is what the sources themselves say.
	StatedCostUSD *float64 `json:"stated_cost_usd"`
	// ClockBackwards counts requests that began before their predecessor ended.
	ClockBackwards int64 `json:"clock_backwards"`
	// Rosters are those that go back and forth.
	Rosters []RosterFlux `json:"rosters"`
	// RosterChanges are rosters whose text changed inside a conversation for no reason from outside.
	RosterChanges []RosterChange `json:"roster_changes"`
	// ToolArrays are the changes of tools arrays inside conversations, those that lost most first, legal ones too.
	ToolArrays []ArrayChange `json:"tools_array_changes"`
	// Nondeterminism are sets of tools that an agent's version sends in several orders or encodings.
	Nondeterminism []Nondeterminism `json:"serialization_nondeterminism"`
	// OrdersUnsearched counts the requests without a roster that were not searched for such sets: those beyond [MaxOrderRequests].
	OrdersUnsearched int64 `json:"serialization_unsearched_requests,omitzero"`
	// FluxRisks are parts that keep changing where nothing was ever read, those about the most tokens first, up to [MaxFluxRisks].
	FluxRisks []FluxRisk `json:"flux_risks"`
	// Savings are what would be fixed and what that saves, worst first; they add up to no more than LostUSD. SavingsOmitted counts those
	// beyond [MaxSavings].
	Savings        []Saving `json:"savings"`
	SavingsOmitted int64    `json:"savings_omitted,omitzero"`
	// Agents are those that lost most first, Days in order. AgentsOmitted counts those beyond [MaxAgents].
	Agents        []AgentSpent `json:"agents"`
	AgentsOmitted int64        `json:"agents_omitted,omitzero"`
	Days          []DaySpent   `json:"days"`
	// Diagnoses is how the providers' own diagnoses stand beside the verdicts.
	Diagnoses Diagnoses `json:"diagnoses"`
	// Conversations are the dearest first; Omitted counts those left out for [Settings.MaxConversations].
	Conversations []Conversation `json:"conversations"`
	Omitted       int64          `json:"conversations_omitted,omitzero"`
}

// Total adds up the requests of one verdict.
type Total struct {
	Count      int64    `json:"count"`
	TokensLost int64    `json:"tokens_lost"`
	CostUSD    *float64 `json:"cost_usd"`
	// Unpriced counts the breaks whose cost is not known.
	Unpriced int64 `json:"unpriced,omitzero"`
}

// Conversation is one conversation's requests.
type Conversation struct {
	ID       string `json:"id"`
	Agent    string `json:"agent,omitzero"`
	Requests int64  `json:"requests"`
	// TokensLost and LostUSD add up its breaks; UnpricedBreaks counts those whose cost is not known.
	TokensLost     int64    `json:"tokens_lost"`
	LostUSD        *float64 `json:"lost_cost_usd"`
	UnpricedBreaks int64    `json:"unpriced_breaks,omitzero"`
	// Breaks are in the order of the conversation.
	Breaks []Break `json:"breaks"`
	Flux   []Flux  `json:"flux,omitzero"`
}

// Break is one request that broke the cache.
type Break struct {
	// Request counts the model's answers in the conversation from 1.
	Request   int64     `json:"request"`
	Verdict   Verdict   `json:"verdict"`
	Secondary []Verdict `json:"secondary"`
	// TokensLost and CostUSD are nil where they are not known.
	TokensLost *int64   `json:"tokens_lost"`
	CostUSD    *float64 `json:"cost_usd"`
	GapSeconds float64  `json:"gap_seconds"`
	// ClockBackwards says that the gap was negative and counts as zero.
	ClockBackwards bool         `json:"clock_backwards,omitzero"`
	Tools          []ToolChange `json:"tools"`
	Params         []string     `json:"params,omitzero"`
	// SystemBlock and Message are the first system block and message that changed, from 0.
	SystemBlock *int `json:"system_block,omitzero"`
	Message     *int `json:"message,omitzero"`
	// SystemRhythm says how the first system block that changed keeps changing.
	SystemRhythm Rhythm `json:"system_rhythm,omitzero"`
	// Cause is what made the prefix change, where it is known, and CauseNames the tools or servers of it.
	Cause      CauseKind `json:"cause,omitzero"`
	CauseNames []string  `json:"cause_names,omitzero"`
	// Diagnosis is the provider's own reason, in its words, Agreement how it stands beside the verdict.
	Diagnosis string    `json:"provider_diagnosis,omitzero"`
	Agreement Agreement `json:"agreement,omitzero"`
	// Unseen are the parts of the prefix (tools, system, messages) that were not recorded of this request or of the one before.
	Unseen []string `json:"unseen,omitzero"`
}

// NewReport returns an empty report.
func NewReport() Report {
	return Report{
		Verdicts: map[Verdict]*Total{}, Risks: map[Verdict]int64{}, Conversations: []Conversation{}, Rosters: []RosterFlux{},
		RosterChanges: []RosterChange{}, ToolArrays: []ArrayChange{}, Nondeterminism: []Nondeterminism{},
		FluxRisks: []FluxRisk{}, Savings: []Saving{}, Agents: []AgentSpent{}, Days: []DaySpent{}, Diagnoses: Diagnoses{Disagreements: []Disagreement{}},
	}
}

// add counts the requests of one conversation, but for the early ones, and returns what is to be said of it.
func (r *Report) add(reqs []Observed, judged []Judged, early []bool) Conversation {
	c := Conversation{Breaks: []Break{}}
	for i := range reqs {
		o, v := &reqs[i], &judged[i]
		if early[i] {
			continue
		}
		c.ID, c.Agent = o.ConversationID, cmp.Or(c.Agent, o.AgentName)
		c.Requests++
		r.count(o, v)
		if !v.Verdict.Break() {
			continue
		}
		c.TokensLost = AddTokens(c.TokensLost, v.TokensLost.N)
		addUSD(&c.LostUSD, v.LostUSD)
		if !v.LostUSD.Known {
			c.UnpricedBreaks++
		}
		c.Breaks = append(c.Breaks, newBreak(o, v))
	}
	slices.SortStableFunc(c.Breaks, func(a, b Break) int { return cmp.Compare(a.Request, b.Request) })
	return c
}

// count adds one request to the totals.
func (r *Report) count(o *Observed, v *Judged) {
	r.Requests++
	addUSD(&r.CostUSD, v.CostUSD)
	addUSD(&r.StatedCostUSD, o.StatedCostUSD)
	if !v.CostUSD.Known && v.Verdict != NoUsage {
		r.Unpriced++
	}
	if v.ClockBackwards {
		r.ClockBackwards++
	}
	t := r.Verdicts[v.Verdict]
	if t == nil {
		t = &Total{}
		r.Verdicts[v.Verdict] = t
	}
	t.Count++
	if !v.Verdict.Break() {
		addUSD(&t.CostUSD, events.USD(0))
		for _, s := range v.Secondary {
			r.Risks[s]++
		}
		return
	}
	r.TokensLost = AddTokens(r.TokensLost, v.TokensLost.N)
	t.TokensLost = AddTokens(t.TokensLost, v.TokensLost.N)
	addUSD(&r.LostUSD, v.LostUSD)
	addUSD(&t.CostUSD, v.LostUSD)
	if !v.LostUSD.Known {
		t.Unpriced++
		r.UnpricedBreaks++
	}
}

func newBreak(o *Observed, v *Judged) Break {
	b := Break{
		Request: v.Request, Verdict: v.Verdict, Secondary: v.Secondary, TokensLost: v.TokensLost.Ptr(),
		GapSeconds: v.Gap.Seconds(), ClockBackwards: v.ClockBackwards, Tools: v.Tools, Params: v.Params, Diagnosis: o.ProviderDiagnosis,
		SystemRhythm: v.SystemRhythm, Cause: v.Cause, CauseNames: v.CauseNames, Agreement: v.Agreement,
		Unseen: v.Unseen,
	}
	addUSD(&b.CostUSD, v.LostUSD)
	if b.Secondary == nil {
		b.Secondary = []Verdict{}
	}
	if b.Tools == nil {
		b.Tools = []ToolChange{}
	}
	if n := v.System; n >= 0 {
		b.SystemBlock = &n
	}
	if n := v.Message; n >= 0 {
		b.Message = &n
	}
	return b
}

// addUSD adds an amount where it is known.
func addUSD(sum **float64, a events.Amount) {
	if !a.Known {
		return
	}
	if *sum == nil {
		*sum = new(float64)
	}
	**sum += a.USD
}

// dearer orders conversations by what they lost, the most first.
func dearer(a, b Conversation) int {
	return cmp.Or(
		-cmp.Compare(deref(a.LostUSD), deref(b.LostUSD)),
		-cmp.Compare(a.TokensLost, b.TokensLost),
		-cmp.Compare(len(a.Breaks), len(b.Breaks)),
		cmp.Compare(a.ID, b.ID),
	)
}

// keep adds a conversation and, now and then, drops the cheapest beyond the limit.
func (r *Report) keep(c Conversation, limit int) {
	r.Conversations = append(r.Conversations, c)
	if len(r.Conversations) >= 2*limit {
		r.settle(limit)
	}
}

// settle sorts the conversations and cuts them to the limit.
func (r *Report) settle(limit int) {
	slices.SortStableFunc(r.Conversations, dearer)
	if n := len(r.Conversations); n > limit {
		r.Omitted += int64(n - limit)
		clear(r.Conversations[limit:])
		r.Conversations = r.Conversations[:limit]
	}
}
