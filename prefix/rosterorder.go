package prefix

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed roster_orders.sql
var rosterOrdersSQL string

//go:embed roster_orders_of.sql
var rosterOrdersOfSQL string

// MaxOrderRequests bounds the requests without a roster whose arrays are searched for sets of tools in several orders: the first by
// conversation. Reading the arrays of two million takes four seconds.
const MaxOrderRequests = 20_000

// Nondeterminism is one set of tools that an agent's version sends in more than one order or encoding, so that its conversations can't read
// each other's cache.
type Nondeterminism struct {
	Agent   string `json:"agent,omitzero"`
	Version string `json:"agent_version,omitzero"`
	Server  string `json:"server,omitzero"`
	// Kind says what differs.
	Kind NondeterminismKind `json:"kind"`
	// Tools counts the tools of the set, Variants the ways in which it was sent.
	Tools    int `json:"tools"`
	Variants int `json:"variants"`
	// Tool and Index are the first tool that differs and its place, from 0, in the way in which most conversations sent it.
	Tool  string `json:"tool"`
	Index int    `json:"index"`
	// Sent are the two ways that most conversations sent, the more frequent first.
	Sent [2]Sent `json:"sent"`
}

// NondeterminismKind says what differs between two arrays of one set of tools.
type NondeterminismKind string

// What may differ.
const (
	// OtherOrder is the order of the tools.
	OtherOrder NondeterminismKind = "order"
	// OtherEncoding is the bytes of a tool whose definition is the same.
	OtherEncoding NondeterminismKind = "encoding"
)

// Sent is one way in which a set of tools was sent.
type Sent struct {
	Conversations int64 `json:"conversations"`
	// Names are some of the tools in order, up to [MaxOrderNames], and From is the place of the first of them.
	Names []string `json:"names"`
	From  int      `json:"from"`
	// Digest is the wire digest of the tool that differs first.
	Digest string `json:"digest"`
}

// MaxOrderNames is how many names of an order are shown: from [namesBefore] before the first that differs.
const MaxOrderNames = 12

// namesBefore is how many names are shown before the first that differs.
const namesBefore = 2

// sentRow is a row of roster_orders.sql.
type sentRow struct {
	Source        string   `ch:"source"`
	Agent         string   `ch:"agent"`
	Version       string   `ch:"version"`
	Server        string   `ch:"of_server"`
	Conversations uint64   `ch:"conversations"`
	Some          []string `ch:"some"`
	Names         []string `ch:"names"`
	Wires         []string `ch:"wires"`
	Definitions   []string `ch:"definitions"`
}

// set names the tools of a row whatever their order and encoding. A tool whose definition is not known is told by its bytes.
func (r *sentRow) set(known map[string]string) string {
	all := make([]string, len(r.Names))
	for i, name := range r.Names {
		def := known[r.Wires[i]]
		if i < len(r.Definitions) && r.Definitions[i] != "" {
			def = r.Definitions[i]
		}
		if def == "" {
			def = "wire:" + r.Wires[i]
		}
		all[i] = name + "\x00" + def
	}
	slices.Sort(all)
	return strings.Join(all, "\x00")
}

// group names the agent's version that sent the row.
func (r *sentRow) group() string {
	return strings.Join([]string{r.Source, r.Agent, r.Version, r.Server}, "\x00")
}

// readNondeterminism calls fn for each set of tools that an agent's version sent in several ways, in more than one conversation. It holds the
// lists of one agent's version at a time.
func readNondeterminism(ctx context.Context, q Querier, args []any, known map[string]string, fn func(Nondeterminism)) error {
	var row sentRow
	sets := sentSets{known: known}
	err := q.Each(ctx, rosterOrdersSQL, append(slices.Clone(args), MaxOrderRequests), &row, func() error {
		if sets.of != row.group() {
			sets.flush(fn)
			sets.of = row.group()
		}
		sets.add(&row)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read lists of tools that agents sent: %w", err)
	}
	sets.flush(fn)
	return nil
}

// readUnsearched counts the requests without a roster beyond [MaxOrderRequests].
func readUnsearched(ctx context.Context, q Querier, args []any) (int64, error) {
	var row struct {
		Number int64 `ch:"number"`
	}
	if err := q.Each(ctx, rosterOrdersOfSQL, args, &row, func() error { return nil }); err != nil {
		return 0, fmt.Errorf("count requests without a roster: %w", err)
	}
	return max(row.Number-MaxOrderRequests, 0), nil
}

// sentSets are the lists of one agent's version by their sets of tools.
type sentSets struct {
	known map[string]string
	of    string
	sets  map[string][]sentRow
	order []string
}

func (s *sentSets) add(r *sentRow) {
	if s.sets == nil {
		s.sets = map[string][]sentRow{}
	}
	key := r.set(s.known)
	if s.sets[key] == nil {
		s.order = append(s.order, key)
	}
	c := *r
	c.Some, c.Names, c.Wires, c.Definitions = slices.Clone(r.Some), slices.Clone(r.Names), slices.Clone(r.Wires), nil
	s.sets[key] = append(s.sets[key], c)
}

// flush says what the sets come to and forgets them.
func (s *sentSets) flush(fn func(Nondeterminism)) {
	for _, key := range s.order {
		if n, ok := nondeterminism(s.sets[key]); ok {
			fn(n)
		}
	}
	s.sets, s.order = nil, nil
}

// nondeterminism compares the lists of one set, the most frequent first.
func nondeterminism(rows []sentRow) (Nondeterminism, bool) {
	variants := map[string]bool{}
	conversations := map[string]bool{}
	other := -1
	for i := range rows {
		r := &rows[i]
		variants[strings.Join(r.Names, "\x00")+"\x01"+strings.Join(r.Wires, "\x00")] = true
		for _, c := range r.Some {
			conversations[c] = true
		}
		if other < 0 && firstOther(&rows[0], r) >= 0 {
			other = i
		}
	}
	if other < 0 || len(conversations) < 2 {
		return Nondeterminism{}, false
	}
	a, b := &rows[0], &rows[other]
	at := firstOther(a, b)
	n := Nondeterminism{
		Agent: a.Agent, Version: a.Version, Server: a.Server, Kind: OtherOrder, Tools: len(a.Names), Variants: len(variants),
		Tool: a.Names[at], Index: at, Sent: [2]Sent{a.sent(at), b.sent(at)},
	}
	if slices.Equal(a.Names, b.Names) {
		n.Kind = OtherEncoding
	}
	return n, true
}

// firstOther is the first place at which two lists of one set differ, -1 where none does.
func firstOther(a, b *sentRow) int {
	for i := range a.Names {
		if a.Names[i] != b.Names[i] || a.Wires[i] != b.Wires[i] {
			return i
		}
	}
	return -1
}

// sent cuts a list to what is shown around a place.
func (r *sentRow) sent(at int) Sent {
	from := max(at-namesBefore, 0)
	return Sent{
		Conversations: int64(r.Conversations), Names: r.Names[from:min(from+MaxOrderNames, len(r.Names))], From: from, Digest: r.Wires[at],
	}
}
