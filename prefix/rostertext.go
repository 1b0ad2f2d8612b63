package prefix

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

//go:embed roster_texts.sql
var rosterTextsSQL string

// rosterTextRow is a row of roster_texts.sql.
type rosterTextRow struct {
	Conversation string    `ch:"conversation"`
	Agent        string    `ch:"agent"`
	Version      string    `ch:"of_version"`
	Server       string    `ch:"of_server"`
	At           time.Time `ch:"at"`
	Inside       bool      `ch:"inside"`
	Why          string    `ch:"why"`
	Text         string    `ch:"text"`
	Names        []string  `ch:"names"`
	Wires        []string  `ch:"wires"`
}

// textRoster is the roster that a conversation had last.
type textRoster struct {
	conversation, agent, version, server, text string
	tools                                      []events.PrefixTool
}

// follows reports whether a row is of the same conversation, agent, version of it and server.
func (t *textRoster) follows(r *rosterTextRow) bool {
	return t.conversation == r.Conversation && t.agent == r.Agent && t.version == r.Version && t.server == r.Server
}

// readRosterTexts calls fn for each roster in the window whose text is another than the one before in its conversation, for no reason
// from outside, with the tools of both.
func readRosterTexts(ctx context.Context, q Querier, args []any, fn func(c RosterChange, before, after []events.PrefixTool)) error {
	var row rosterTextRow
	var last textRoster
	err := q.Each(ctx, rosterTextsSQL, args, &row, func() error {
		now := textRoster{
			strings.Clone(row.Conversation), strings.Clone(row.Agent), strings.Clone(row.Version), strings.Clone(row.Server),
			strings.Clone(row.Text), zipTools(row.Names, row.Wires),
		}
		if last.follows(&row) && last.text != row.Text && row.Inside && !outsideReason(row.Why) {
			fn(RosterChange{
				Conversation: now.conversation, Agent: now.agent, Version: now.version, Server: now.server, Time: row.At,
				Before: last.text, After: now.text,
			}, last.tools, now.tools)
		}
		last = now
		return nil
	})
	if err != nil {
		return fmt.Errorf("read rosters whose text changed: %w", err)
	}
	return nil
}
