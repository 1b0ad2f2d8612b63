package capture

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// toolHistoryFormat is the tool lists of a server, one release a line.
func toolHistoryFormat() Format {
	return Format{
		Name:  "tool-history",
		About: "a server's tool list by release, one release a line: release, released_at, server, tools",
		Sniff: sniffToolHistory,
		Read:  readToolHistory,
	}
}

func sniffToolHistory(head []byte) bool {
	for _, o := range headObjects(head, 3) {
		if o.Has("release", "tools") || o.Has("release", "released_at") {
			return true
		}
	}
	return false
}

// release is one line of a tool history.
type release struct {
	Release    string           `json:"release"`
	ReleasedAt string           `json:"released_at"`
	Server     string           `json:"server"`
	Tools      []jsontext.Value `json:"tools"`
}

func readToolHistory(ctx context.Context, src *Source, emit Emit) error {
	h := toolHistory{src: src, emit: emit, sent: newRecentSet(maxDefinitions)}
	return src.Lines(func(_ int, line []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return h.line(line)
	})
}

// maxDefinitions is how many definitions are known to have been sent; older ones may be sent again, under the same id.
const maxDefinitions = 1 << 16

// toolHistory turns releases into rosters, and definitions not sent before into definitions.
type toolHistory struct {
	src  *Source
	emit Emit
	sent *recentSet
}

func (h *toolHistory) line(line []byte) error {
	var r release
	if err := json.Unmarshal(line, &r); err != nil {
		return badLine("not a release: %s", jsonReason(err))
	}
	if r.Release == "" || r.Tools == nil {
		return badLine("not a release: no release or no tools")
	}
	at, err := time.Parse(time.RFC3339, r.ReleasedAt)
	if err != nil {
		return badLine("released_at is not a time as in RFC 3339")
	}
	tools, err := readTools(h.src.Options.Digester, r.Tools)
	if err != nil {
		return badLine("tools: %s", err)
	}
	return h.release(&r, at, tools)
}

func (h *toolHistory) release(r *release, at time.Time, tools []knownTool) error {
	for i := range tools {
		if err := h.definition(r, at, &tools[i]); err != nil {
			return err
		}
	}
	roster := rosterOf(h.src.Options.Digester, tools)
	roster.Reason, roster.Server, roster.Release = events.RosterDeploy, r.Server, r.Release
	e := h.src.Event(at, roster, r.Server, r.Release, r.ReleasedAt, roster.RosterDigest)
	return emitChecked(e, h.emit)
}

func (h *toolHistory) definition(r *release, at time.Time, t *knownTool) error {
	if !h.sent.add(strings.Join([]string{r.Server, t.def.Name, t.digests.Wire}, "\x00")) {
		return nil
	}
	d := t.definition()
	d.Server, d.Release = r.Server, r.Release
	return emitChecked(h.src.Event(at, d, r.Server, d.ToolName, d.WireDigest), h.emit)
}
