package mcpserver

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// Listing is what a server offered.
type Listing struct {
	// Server and Release are the name and the version that the server gives itself; either may be empty.
	Server, Release string
	// Instructions are what the server says of itself and of how to use it: a text of others, of any length.
	Instructions string
	// Protocol is the version of MCP that was spoken, Transport how: stdio, http or sse.
	Protocol, Transport string
	// Tools are in the server's order; each name once.
	Tools []Tool
	// Problems are what was wrong with single tools and lines.
	Problems []Problem
	// Pages and Bytes are how many pages the list had and how long they were together.
	Pages int
	Bytes int64
}

// Tool is one tool as the server described it.
type Tool struct {
	Name string
	// Version is the one that its schema states, by the const of an argument schema_version; empty where it states none.
	Version string
	// Definition is in the bytes that the server sent.
	Definition jsontext.Value
	Digests    events.ToolDigests
	// Usable says that its schema is there, compiles and fits an event. Else a problem of the listing says why not.
	Usable bool
}

// Problem is one thing that a server did wrong without spoiling the rest.
type Problem struct {
	// Page and Index count from 1; 0 where the problem is of no page.
	Page  int `json:"page,omitzero"`
	Index int `json:"index,omitzero"`
	// Tool is its name, where it has one.
	Tool   string `json:"tool,omitzero"`
	Reason string `json:"reason"`
}

// Error gives the place and the reason.
func (p *Problem) Error() string {
	if p.Page == 0 {
		return p.Reason
	}
	if p.Tool == "" {
		return fmt.Sprintf("page %d, tool %d: %s", p.Page, p.Index, p.Reason)
	}
	return fmt.Sprintf("page %d, tool %d (%s): %s", p.Page, p.Index, p.Tool, p.Reason)
}

// Definitions returns the definitions of the tools, the usable ones alone or all.
func (l *Listing) Definitions(usable bool) []jsontext.Value {
	out := make([]jsontext.Value, 0, len(l.Tools))
	for i := range l.Tools {
		if l.Tools[i].Usable || !usable {
			out = append(out, l.Tools[i].Definition)
		}
	}
	return out
}
