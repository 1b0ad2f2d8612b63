package prefix

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// breakRow is a row of verdicts_breaks.sql.
type breakRow struct {
	Hash           uint64    `ch:"hash"`
	Request        int64     `ch:"number"`
	Started        time.Time `ch:"started"`
	Verdict        string    `ch:"said"`
	Secondary      []string  `ch:"secondary"`
	Cause          string    `ch:"why"`
	CauseNames     []string  `ch:"cause_names"`
	ToolNames      []string  `ch:"tool_names"`
	ToolKinds      []string  `ch:"tool_kinds"`
	ToolIndexes    []int64   `ch:"tool_indexes"`
	ToolMiddle     []bool    `ch:"tool_middle"`
	ToolRhythms    []string  `ch:"tool_rhythms"`
	Params         []string  `ch:"params"`
	System         int64     `ch:"system_block"`
	SystemRhythm   string    `ch:"rhythm"`
	Message        int64     `ch:"message"`
	GapSeconds     float64   `ch:"gap_seconds"`
	ClockBackwards bool      `ch:"clock_backwards"`
	Tokens         *uint64   `ch:"lost"`
	USD            *float64  `ch:"usd"`
	Diagnosis      string    `ch:"diagnosis"`
	Agreement      string    `ch:"stands"`
	Unseen         []string  `ch:"unseen"`
}

// broke turns a row back into the break that it tells of.
func (r *breakRow) broke() Break {
	b := Break{
		Request: r.Request, Verdict: Verdict(r.Verdict), Secondary: []Verdict{}, TokensLost: signed(r.Tokens), CostUSD: r.USD,
		GapSeconds: r.GapSeconds, ClockBackwards: r.ClockBackwards, Tools: []ToolChange{}, Params: someOf(r.Params),
		SystemRhythm: Rhythm(r.SystemRhythm), Cause: CauseKind(r.Cause), CauseNames: someOf(r.CauseNames),
		Diagnosis: r.Diagnosis, Agreement: Agreement(r.Agreement), Unseen: someOf(r.Unseen),
	}
	for _, v := range r.Secondary {
		b.Secondary = append(b.Secondary, Verdict(v))
	}
	for i, name := range r.ToolNames {
		b.Tools = append(b.Tools, ToolChange{
			Name: name, Kind: ToolChangeKind(r.ToolKinds[i]), Index: int(r.ToolIndexes[i]), Middle: r.ToolMiddle[i], Rhythm: Rhythm(r.ToolRhythms[i]),
		})
	}
	if n := int(r.System); n >= 0 {
		b.SystemBlock = &n
	}
	if n := int(r.Message); n >= 0 {
		b.Message = &n
	}
	return b
}

// someOf copies a list, and returns nil for an empty one.
func someOf(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return slices.Clone(list)
}

// readBreaks adds their breaks to conversations.
func (a *analysis) readBreaks(ctx context.Context, q Querier, found *foundConversations) error {
	if len(found.hashes) == 0 {
		return nil
	}
	var row breakRow
	args := append(a.window.Args(), found.hashes, breakVerdicts(), maxShownBreaks)
	err := q.Each(ctx, verdictBreaksSQL, args, &row, func() error {
		c := found.at[row.Hash]
		c.Breaks = append(c.Breaks, row.broke())
		return nil
	})
	if err != nil {
		return fmt.Errorf("read breaks: %w", err)
	}
	return nil
}

// readFlux adds to conversations what keeps changing along them, and tells of some others of which the report says nothing else.
func (a *analysis) readFlux(ctx context.Context, q Querier, found *foundConversations) error {
	var row struct {
		Hash         uint64     `ch:"hash"`
		Conversation string     `ch:"conversation"`
		Agent        string     `ch:"agent"`
		Kinds        []string   `ch:"kinds"`
		Parts        []string   `ch:"parts"`
		Names        []string   `ch:"names"`
		Requests     []int64    `ch:"requests"`
		Changes      []int64    `ch:"changes"`
		Values       []int64    `ch:"values"`
		CouldRead    []int64    `ch:"could_read"`
		CouldReadUSD []*float64 `ch:"could_read_usd"`
	}
	args := append(a.window.Args(), found.hashes, len(found.hashes)+a.settings.MaxFindings)
	err := q.Each(ctx, verdictFluxSQL, args, &row, func() error {
		var all []Flux
		for i, kind := range row.Kinds {
			all = append(all, Flux{
				Kind: Rhythm(kind), Part: row.Parts[i], Name: row.Names[i],
				Requests: int(row.Requests[i]), Changes: int(row.Changes[i]), Values: int(row.Values[i]),
				CouldRead: row.CouldRead[i], CouldReadUSD: row.CouldReadUSD[i],
			})
		}
		if c := found.at[row.Hash]; c != nil {
			c.Flux = all
			return nil
		}
		a.tell(&Conversation{ID: row.Conversation, Agent: row.Agent, Flux: all})
		return nil
	})
	if err != nil {
		return fmt.Errorf("read what keeps changing: %w", err)
	}
	return nil
}
