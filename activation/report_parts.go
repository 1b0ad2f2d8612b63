package activation

import (
	"cmp"
	"slices"
	"time"
)

// PriceFunc says what tokens of a provider's model cost on a day, in US dollars a million: input that no cache held, and output. It
// reports false where that is not known.
type PriceFunc func(provider, model string, at time.Time) (inputUSD, outputUSD float64, known bool)

// Part is one agent's, model's, conversation's or manner's share of what broke a rule.
type Part struct {
	// Name is empty where the events don't say it.
	Name   string `json:"name"`
	Count  uint64 `json:"count"`
	Tokens uint64 `json:"tokens"`
}

// Parts say who broke a rule and how.
type Parts struct {
	// Conversations counts the conversations in which the rule was broken, of those that have an id.
	Conversations uint64 `json:"conversations"`
	// Agents, Models, Worst and Hows have at most [Settings.NamesListed] entries each, the largest first. Worst are the worst
	// conversations; Hows say how a name was wrong, why it was refused or what asked for it.
	Agents []Part `json:"agents,omitempty"`
	Models []Part `json:"models,omitempty"`
	Worst  []Part `json:"worst_conversations,omitempty"`
	Hows   []Part `json:"hows,omitempty"`
	// CostUSD is what the tokens cost at the price of input that no cache held, so at most that; it is nil where no price is known.
	// UnpricedTokens are those of models without a price.
	CostUSD        *float64 `json:"cost_usd"`
	UnpricedTokens uint64   `json:"unpriced_tokens,omitzero"`
	// Action says in a sentence what to do; it is empty where nothing broke the rule.
	Action string `json:"action,omitzero"`
}

// The parts of the queries whose rows are [partRow].
const (
	partAll = iota
	partAgent
	partModel
	partConversation
	partHow
)

// partRow is a row of rule_parts.sql and activation_parts.sql.
type partRow struct {
	Part     uint8  `ch:"part"`
	Rule     string `ch:"rule"`
	Key      string `ch:"key"`
	Provider string `ch:"provider"`
	Times    uint64 `ch:"times"`
	Input    uint64 `ch:"input"`
	Output   uint64 `ch:"output"`
	Latest   int64  `ch:"latest"`
	Keys     uint64 `ch:"keys"`
}

// take adds a row of a query to the rule's parts.
func (p *Parts) take(row *partRow, price PriceFunc) {
	part := Part{Name: row.Key, Count: row.Times, Tokens: row.Input + row.Output}
	switch row.Part {
	case partAll:
		p.UnpricedTokens += part.Tokens
	case partAgent:
		p.Agents = append(p.Agents, part)
	case partModel:
		p.Models = addPart(p.Models, part)
		p.pay(row, price)
	case partConversation:
		p.Conversations = row.Keys
		p.Worst = append(p.Worst, part)
	case partHow:
		p.Hows = append(p.Hows, part)
	}
}

// pay adds what a model's tokens cost, where that is known.
func (p *Parts) pay(row *partRow, price PriceFunc) {
	tokens := row.Input + row.Output
	if price == nil || tokens == 0 {
		return
	}
	in, out, known := price(row.Provider, row.Key, time.UnixMicro(row.Latest))
	if !known {
		return
	}
	const million = 1e6
	usd := (float64(row.Input)*in + float64(row.Output)*out) / million
	if p.CostUSD != nil {
		usd += *p.CostUSD
	}
	p.CostUSD = &usd
	p.UnpricedTokens -= min(tokens, p.UnpricedTokens)
}

// addPart adds to the entry of the same name, which several providers can have.
func addPart(all []Part, p Part) []Part {
	for i := range all {
		if all[i].Name == p.Name {
			all[i].Count += p.Count
			all[i].Tokens += p.Tokens
			return all
		}
	}
	return append(all, p)
}

// partSum adds up rows by part and name, as the queries do.
type partSum struct {
	rows map[partRow]*partRow
	// seen are the names of each part.
	seen map[uint8]uint64
}

func newPartSum() *partSum { return &partSum{rows: map[partRow]*partRow{}, seen: map[uint8]uint64{}} }

// add counts a row under its part, name and provider; one without a name counts nowhere.
func (s *partSum) add(row partRow) {
	if row.Key == "" {
		return
	}
	key := partRow{Part: row.Part, Key: row.Key, Provider: row.Provider}
	known := s.rows[key]
	if known == nil {
		s.seen[row.Part]++
		s.rows[key] = &row
		return
	}
	known.Times += row.Times
	known.Input += row.Input
	known.Output += row.Output
	known.Latest = max(known.Latest, row.Latest)
}

// into gives a rule its parts, the largest first and at most so many of each.
func (s *partSum) into(p *Parts, most int, price PriceFunc) {
	all := make([]*partRow, 0, len(s.rows))
	for _, row := range s.rows {
		row.Keys = s.seen[row.Part]
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b *partRow) int {
		return cmp.Or(
			cmp.Compare(a.Part, b.Part), cmp.Compare(b.Times, a.Times), cmp.Compare(b.Input+b.Output, a.Input+a.Output),
			cmp.Compare(a.Key, b.Key), cmp.Compare(a.Provider, b.Provider),
		)
	})
	var taken [partHow + 1]int
	for _, row := range all {
		if taken[row.Part]++; taken[row.Part] <= most {
			p.take(row, price)
		}
	}
}
