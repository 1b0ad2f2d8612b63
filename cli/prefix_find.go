package cli

import (
	"context"
	_ "embed" // for the query
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/store"
)

//go:embed conversations.sql
var conversationsSQL string

// foundConversation is a conversation that has requests.
type foundConversation struct {
	ID       string    `ch:"id"`
	Requests uint64    `ch:"requests"`
	Latest   time.Time `ch:"latest"`
}

const (
	// maxFound is how many conversations are looked for by the start of an id: more are too many to choose from.
	maxFound = 100
	// maxNamedIDs is how many of them an error names.
	maxNamedIDs = 5
	// maxIDWidth is how many cells an error shows of an id.
	maxIDWidth = 100
)

// listConversations returns stored conversations whose id begins with a text, or holds it; the latest first.
func listConversations(ctx context.Context, db *store.DB, text string, begins bool) (all []foundConversation, err error) {
	var row foundConversation
	err = db.Each(ctx, conversationsSQL, []any{begins, text, text, text, maxFound}, &row, func() error {
		all = append(all, row)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for conversations: %w", err)
	}
	return all, nil
}

func hasStart(id, text string) bool { return strings.HasPrefix(id, text) }

func holds(id, text string) bool { return strings.Contains(strings.ToLower(id), strings.ToLower(text)) }

// manyConversations counts conversations, as far as they were looked for.
func manyConversations(n int) string {
	if n == maxFound {
		return strconv.Itoa(n) + " or more conversations"
	}
	return report.Plural(int64(n), "conversation")
}

// listIDs names the first of some conversations.
func listIDs(all []foundConversation) string {
	var names []string
	for i := range all {
		names = append(names, quoteID(all[i].ID)+" ("+report.Plural(int64(all[i].Requests), "request")+")")
	}
	return listFirst(names)
}

// listFirst lists the first of some names, and counts the rest.
func listFirst(names []string) string {
	if rest := len(names) - maxNamedIDs; rest > 0 {
		return strings.Join(names[:maxNamedIDs], ", ") + " and " + strconv.Itoa(rest) + " more"
	}
	return strings.Join(names, ", ")
}

// quoteID shows an id on one line, cut where it is very long.
func quoteID(id string) string {
	if id == "" {
		return "(none)"
	}
	return report.Cut(report.Safe(id), maxIDWidth)
}
