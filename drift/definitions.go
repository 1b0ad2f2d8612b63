package drift

import (
	"slices"
	"time"
)

// rosterRow is a row of rosters.sql.
type rosterRow struct {
	Server     string    `ch:"server_name"`
	Agent      string    `ch:"agent"`
	Release    string    `ch:"release_name"`
	Digest     string    `ch:"digest"`
	At         time.Time `ch:"at"`
	Names      []string  `ch:"names"`
	Wire       []string  `ch:"wire"`
	Definition []string  `ch:"definition"`
	Schema     []string  `ch:"schema"`
}

// listKey says whose lists of tools follow each other: a server's, or an agent's own where there is no server.
type listKey struct{ server, agent string }

// toolList is the tools of one release.
type toolList struct {
	listKey
	release string
	at      time.Time
	names   []string
	tools   map[string]digests
}

type digests struct{ wire, definition, schema string }

// list returns the row's tools by name; of two of one name the first counts.
func (r *rosterRow) list() *toolList {
	l := &toolList{listKey: listKey{r.Server, r.Agent}, release: r.Release, at: r.At.UTC(), tools: make(map[string]digests, len(r.Names))}
	if l.release == "" {
		l.release = r.Digest[:min(len(r.Digest), 12)]
	}
	for i, name := range r.Names {
		if _, twice := l.tools[name]; twice || i >= len(r.Wire) || i >= len(r.Definition) || i >= len(r.Schema) {
			continue
		}
		l.names = append(l.names, name)
		l.tools[name] = digests{r.Wire[i], r.Definition[i], r.Schema[i]}
	}
	return l
}

// DefinitionChange is what changed from one list of tools to the next of the same server.
type DefinitionChange struct {
	Server string    `json:"server"`
	Agent  string    `json:"agent,omitempty"`
	From   string    `json:"from"`
	To     string    `json:"to"`
	At     time.Time `json:"at"`

	ToolsBefore int `json:"tools_before"`
	ToolsAfter  int `json:"tools_after"`
	Added       int `json:"added"`
	Removed     int `json:"removed"`
	// WireChanged, DefinitionChanged and SchemaChanged count the tools on both lists whose digest of that kind differs.
	WireChanged       int `json:"wire_changed"`
	DefinitionChanged int `json:"definition_changed"`
	SchemaChanged     int `json:"schema_changed"`
	// The ratios are (changed + removed) / tools before, 0 to 1; thresholds apply to the schema's.
	WireRatio       float64 `json:"wire_ratio"`
	DefinitionRatio float64 `json:"definition_ratio"`
	SchemaRatio     float64 `json:"schema_ratio"`

	AddedTools         []string `json:"added_tools"`
	RemovedTools       []string `json:"removed_tools"`
	SchemaChangedTools []string `json:"schema_changed_tools"`
}

func compare(before, after *toolList) DefinitionChange {
	c := DefinitionChange{
		Server: after.server, Agent: after.agent, From: before.release, To: after.release, At: after.at,
		ToolsBefore: len(before.names), ToolsAfter: len(after.names),
		AddedTools: []string{}, RemovedTools: []string{}, SchemaChangedTools: []string{},
	}
	for _, name := range after.names {
		if was, ok := before.tools[name]; ok {
			c.count(name, was, after.tools[name])
		} else {
			c.AddedTools = append(c.AddedTools, name)
		}
	}
	for _, name := range before.names {
		if _, ok := after.tools[name]; !ok {
			c.RemovedTools = append(c.RemovedTools, name)
		}
	}
	for _, names := range [][]string{c.AddedTools, c.RemovedTools, c.SchemaChangedTools} {
		slices.Sort(names)
	}
	c.Added, c.Removed = len(c.AddedTools), len(c.RemovedTools)
	c.WireRatio, c.DefinitionRatio, c.SchemaRatio = c.ratio(c.WireChanged), c.ratio(c.DefinitionChanged), c.ratio(c.SchemaChanged)
	return c
}

// count compares a tool that both lists have.
func (c *DefinitionChange) count(name string, was, is digests) {
	if was.wire != is.wire {
		c.WireChanged++
	}
	if was.definition != is.definition {
		c.DefinitionChanged++
	}
	if was.schema != is.schema {
		c.SchemaChanged++
		c.SchemaChangedTools = append(c.SchemaChangedTools, name)
	}
}

func (c *DefinitionChange) ratio(changed int) float64 {
	if c.ToolsBefore == 0 {
		return 0
	}
	return float64(changed+c.Removed) / float64(c.ToolsBefore)
}
