package capture

import (
	"cmp"
	"errors"
	"os"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// loadTools reads the tools of [Options.ToolsFile]; nil where there is none.
func loadTools(src *Source) (*chatTools, error) {
	file := src.Options.ToolsFile
	if file == "" {
		return nil, nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	list, err := definitionList(raw)
	if err != nil {
		return nil, errors.New("read tools " + file + ": " + err.Error())
	}
	t, err := newChatTools(src.Options.Digester, list)
	if err != nil {
		return nil, errors.New("read tools " + file + ": " + err.Error())
	}
	return t, nil
}

// givenTools are tools that the user names for conversations whose file does not say them.
type givenTools struct {
	*chatTools
	sent *recentSet
	told bool
}

func newGivenTools(src *Source) (*givenTools, error) {
	tools, err := loadTools(src)
	if tools == nil {
		return nil, err
	}
	return &givenTools{chatTools: tools, sent: newRecentSet(maxDefinitions)}, nil
}

// send sends the roster and the definitions once, as of the start of the first conversation.
func (g *givenTools) send(src *Source, at time.Time, emit Emit) error {
	if g == nil || g.told {
		return nil
	}
	g.told = true
	if at.IsZero() {
		at = chatStart(src)
	}
	return sendTools(src, g.chatTools, g.sent, at, emit)
}

// use makes a conversation one that had these tools.
func (g *givenTools) use(t *transcript) {
	if g == nil {
		return
	}
	t.tools, t.state = g.chatTools, activation.NewState(nil)
	t.state.SetRoster(g.index)
	for _, text := range g.text {
		t.ids.See(text)
	}
}

// judge looks up the name of a call and holds its arguments against the definition, where the tools are known. A tool of an MCP
// server may stand in the list under its own name, without the server's.
func (t *transcript) judge(c *events.ToolCall, args jsontext.Value) {
	if t.tools == nil {
		return
	}
	name := c.ToolName
	if _, known := t.tools.versions[name]; !known && c.ResolvedName != "" {
		if _, known = t.tools.versions[c.ResolvedName]; known {
			name = c.ResolvedName
		}
	}
	res, bridge := t.state.ResolveCall(name, args)
	c.Resolution, c.ResolutionHow, c.Bridge = res.Resolution, res.How, bridge.Bridge
	c.Server = cmp.Or(res.Server, c.Server)
	meant := cmp.Or(res.Name, bridge.Name)
	if meant != "" && meant != c.ToolName {
		c.ResolvedName = meant
	}
	c.BridgedName = bridge.BridgedName(meant)
	if bridge.Bridge != "" {
		args = bridge.Arguments
	}
	if len(args) == 0 {
		args = jsontext.Value("{}")
	}
	if c.Resolution != events.ResolvedOK && c.Resolution != events.ResolvedNotActivated {
		return
	}
	t.tools.classify(c, args)
}
