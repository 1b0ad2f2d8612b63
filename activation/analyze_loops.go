package activation

import (
	"context"
	"time"
)

// loopRow is a row of loops.sql.
type loopRow struct {
	Server       string `ch:"server_name"`
	Tool         string `ch:"tool"`
	Conversation string `ch:"conversation"`
	Calls        uint64 `ch:"calls"`
	Tokens       uint64 `ch:"tokens"`
	Outcome      string `ch:"ended"`
	Agent        string `ch:"agent"`
	Provider     string `ch:"provider"`
	Model        string `ch:"model"`
	Input        uint64 `ch:"input"`
	Output       uint64 `ch:"output"`
	Latest       int64  `ch:"latest"`
}

func (a *analysis) loops(ctx context.Context) error {
	var row loopRow
	r := a.report.Rules[RuleLoop]
	parts := newPartSum()
	err := a.q.Each(ctx, loopsSQL, a.window.Args(a.settings.LoopCalls), &row, func() error {
		r.Count++
		r.Tokens += row.Tokens
		row.addTo(parts)
		if len(a.report.Loops) < a.settings.NamesListed {
			a.report.Loops = append(a.report.Loops, a.loop(&row))
		}
		return nil
	})
	parts.into(&r.Parts, a.settings.NamesListed, a.price)
	a.loopFindings()
	return err
}

// addTo counts a loop under its agent, model and conversation, and how its calls ended.
func (row *loopRow) addTo(s *partSum) {
	p := partRow{Times: 1, Input: row.Input, Output: row.Output, Latest: row.Latest}
	for part, key := range [...]string{partAll: "all", partAgent: row.Agent, partModel: row.Model, partConversation: row.Conversation, partHow: row.Outcome} {
		p.Part, p.Key, p.Provider = uint8(part), key, ""
		if part == partModel {
			p.Provider = row.Provider
		}
		s.add(p)
	}
}

// loop returns what the report says of a loop.
func (a *analysis) loop(row *loopRow) Loop {
	var p Parts
	p.pay(&partRow{Key: row.Model, Provider: row.Provider, Input: row.Input, Output: row.Output, Latest: row.Latest}, a.price)
	return Loop{
		Server: row.Server, Tool: row.Tool, Conversation: row.Conversation, Calls: row.Calls, Tokens: row.Tokens, Outcome: row.Outcome,
		Agent: row.Agent, Model: row.Model, Last: time.UnixMicro(row.Latest).UTC(), CostUSD: p.CostUSD,
	}
}
