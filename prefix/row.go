package prefix

import (
	"strings"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// requestRow is a row of the queries with request_columns.sql.
type requestRow struct {
	ID            string    `ch:"event_id"`
	Time          time.Time `ch:"event_time"`
	Stored        time.Time `ch:"stored_time"`
	Agent         string    `ch:"agent"`
	Version       string    `ch:"version"`
	Environment   string    `ch:"env"`
	Team          string    `ch:"of_team"`
	Conversation  string    `ch:"conversation"`
	Turn          int64     `ch:"turn_number"`
	RequestID     string    `ch:"request_name"`
	Provider      string    `ch:"provider"`
	Model         string    `ch:"model"`
	ToolNames     []string  `ch:"tool_names"`
	ToolDigests   []string  `ch:"tool_digests"`
	ToolsKnown    bool      `ch:"tools_known"`
	System        []string  `ch:"system"`
	SystemKnown   bool      `ch:"system_known"`
	Messages      []string  `ch:"messages"`
	MessagesKnown bool      `ch:"messages_known"`
	ParamNames    []string  `ch:"param_names"`
	ParamDigests  []string  `ch:"param_digests"`
	MarkerParts   []string  `ch:"marker_parts"`
	MarkerIndexes []int64   `ch:"marker_indexes"`
	MarkerTTLs    []int64   `ch:"marker_ttls"`
	Roster        string    `ch:"roster"`
	Uncached      *int64    `ch:"uncached"`
	Read          *int64    `ch:"cache_read"`
	Write5m       *int64    `ch:"write_5m"`
	Write1h       *int64    `ch:"write_1h"`
	Output        *int64    `ch:"output"`
	Diagnosis     string    `ch:"diagnosis"`
	Status        string    `ch:"outcome"`
	Started       time.Time `ch:"started"`
	Ended         time.Time `ch:"ended"`
	Stated        *float64  `ch:"stated"`

	// Lists of digests come as one text, which is quicker to read than a string a digest. No digest has a comma.
	DigestsText  string `ch:"tool_digests_text"`
	SystemText   string `ch:"system_text"`
	MessagesText string `ch:"messages_text"`
}

// unfold turns the texts back into lists.
func (r *requestRow) unfold() {
	for text, list := range map[*string]*[]string{&r.DigestsText: &r.ToolDigests, &r.SystemText: &r.System, &r.MessagesText: &r.Messages} {
		if *text != "" {
			*list, *text = strings.Split(*text, ","), ""
		}
	}
}

// repeat makes a list of digests that begins as another does share its memory, and lets go of the text that it is a part of.
func repeat(list, before []string) {
	same := commonHead(before, list)
	copy(list, before[:same])
	for i := same; i < len(list); i++ {
		list[i] = strings.Clone(list[i])
	}
}

// observed turns the row back into the request that it was.
func (r *requestRow) observed() Observed {
	r.unfold()
	o := Observed{ID: r.ID}
	o.AgentName, o.AgentVersion, o.ConversationID, o.Turn = r.Agent, r.Version, r.Conversation, r.Turn
	o.RequestID = r.RequestID
	o.ProviderName, o.RequestModel, o.Environment, o.Team = r.Provider, r.Model, r.Environment, r.Team
	o.ToolsKnown, o.System, o.SystemKnown = r.ToolsKnown, r.System, r.SystemKnown
	o.Messages, o.MessagesKnown, o.RosterDigest = r.Messages, r.MessagesKnown, r.Roster
	for i, name := range r.ToolNames {
		o.Tools = append(o.Tools, events.PrefixTool{Name: name, Digest: r.ToolDigests[i]})
	}
	for i, name := range r.ParamNames {
		o.Params = append(o.Params, events.Param{Name: name, Digest: r.ParamDigests[i]})
	}
	for i, part := range r.MarkerParts {
		o.Breakpoints = append(o.Breakpoints, events.Breakpoint{Part: part, Index: r.MarkerIndexes[i], TTLSeconds: r.MarkerTTLs[i]})
	}
	o.UncachedInputTokens, o.CacheReadInputTokens = count(r.Uncached), count(r.Read)
	o.CacheWrite5mInputTokens, o.CacheWrite1hInputTokens = count(r.Write5m), count(r.Write1h)
	o.OutputTokens = count(r.Output)
	o.ProviderDiagnosis, o.Status = r.Diagnosis, events.RequestStatus(r.Status)
	o.StartTime, o.EndTime = r.Started, r.Ended
	if r.Stated != nil {
		o.StatedCostUSD = events.USD(*r.Stated)
	}
	return o
}

func count(n *int64) events.Count {
	if n == nil {
		return events.Count{}
	}
	return events.Tokens(*n)
}
