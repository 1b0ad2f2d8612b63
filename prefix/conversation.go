package prefix

import (
	"context"
	_ "embed" // for the queries
	"fmt"
	"slices"
	"strings"
	"time"
)

//go:embed request_columns.sql
var requestColumns string

// withColumns puts the columns of [requestRow] into a query.
func withColumns(query string) string {
	return strings.Replace(query, "{columns}", strings.TrimRight(requestColumns, "\n"), 1)
}

//go:embed conversation.sql
var conversationText string

var conversationSQL = withColumns(conversationText)

//go:embed happenings.sql
var happeningsSQL string

//go:embed happenings_servers.sql
var serverHappeningsSQL string

// ReadConversation returns what is stored of one conversation: its requests in order of start, and what happened around them. Requests
// are none where the conversation is not known.
func ReadConversation(ctx context.Context, q Querier, id string) ([]Observed, []Happening, error) {
	var reqs []Observed
	var row requestRow
	err := q.Each(ctx, conversationSQL, []any{id}, &row, func() error {
		reqs = append(reqs, row.observed())
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read requests of conversation: %w", err)
	}
	all, err := readHappenings(ctx, q, []string{id})
	if err != nil {
		return nil, nil, err
	}
	servers, err := readServerHappenings(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	return reqs, slices.Concat(all[id], servers), nil
}

// happeningRow is a row of happenings.sql.
type happeningRow struct {
	Conversation string    `ch:"conversation"`
	At           time.Time `ch:"at"`
	Turn         int64     `ch:"turn_number"`
	Happened     string    `ch:"happened"`
	Names        []string  `ch:"names"`
	Servers      []string  `ch:"servers"`
	Digest       string    `ch:"digest"`
}

// readHappenings returns what happened around the requests of some conversations, by conversation.
func readHappenings(ctx context.Context, q Querier, conversations []string) (map[string][]Happening, error) {
	all := map[string][]Happening{}
	away := map[string][]string{} // the servers not connected, by conversation
	var row happeningRow
	err := q.Each(ctx, happeningsSQL, []any{conversations, conversations}, &row, func() error {
		all[row.Conversation] = append(all[row.Conversation], row.happenings(away)...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what happened around requests: %w", err)
	}
	return all, nil
}

// readServerHappenings returns what servers told of their own lists to nobody's conversation, in order of time.
func readServerHappenings(ctx context.Context, q Querier) ([]Happening, error) {
	var all []Happening
	var row happeningRow
	err := q.Each(ctx, serverHappeningsSQL, nil, &row, func() error {
		all = append(all, row.happenings(nil)...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what servers told of their lists: %w", err)
	}
	return all, nil
}

// happenings turns a row into what it tells; a roster may tell of a reason and of servers that came or went.
func (r *happeningRow) happenings(away map[string][]string) []Happening {
	h := Happening{Kind: HappeningKind(r.Happened), Time: r.At, Turn: r.Turn, Tools: slices.Clone(r.Names), Servers: slices.Clone(r.Servers), Digest: r.Digest}
	source, reason, isRoster := strings.Cut(r.Happened, ":")
	if !isRoster {
		return []Happening{h}
	}
	var all []Happening
	if source == "roster" {
		before, known := away[r.Conversation]
		away[r.Conversation] = slices.Clone(r.Servers)
		if moved := oneSided(before, r.Servers); known && len(moved) > 0 {
			all = append(all, Happening{Kind: HappenedConnection, Time: r.At, Turn: r.Turn, Tools: h.Tools, Servers: moved, Digest: r.Digest})
		}
		h.Servers = nil
	}
	switch h.Kind = HappeningKind(reason); h.Kind {
	case HappenedListChange, HappenedPermission, HappenedDeploy:
		all = append(all, h)
	}
	return all
}

// oneSided returns the names that only one of two lists has.
func oneSided(a, b []string) []string {
	var names []string
	for _, pair := range [][2][]string{{a, b}, {b, a}} {
		for _, n := range pair[0] {
			if !slices.Contains(pair[1], n) {
				names = append(names, n)
			}
		}
	}
	return names
}
