package client

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// maxText is the longest text in an event, in bytes: a source, a place in arguments, a message, a provider's diagnosis. A longer one is cut.
const maxText = 4096

// fit makes the strings of an event fit, whoever gave them: all are made UTF-8, names and ids are cut at 256 bytes (see [activation.EventName])
// and texts at 4096. One that does not fit would take the event's room, or be no JSON, and nothing of the event would be counted. Digests, which the
// schemas hold to a form, stay as they are. Lists are changed in a copy, since events share them. Arguments and definitions, which are JSON already, stay too.
func fit(e *events.Event) {
	if empty(e.Data) {
		return
	}
	fitTexts(&e.Source)
	fitContext(e.Data.Common())
	switch d := e.Data.(type) {
	case *events.ToolCall:
		fitCall(d)
	case *events.Activation:
		fitNames(&d.Server)
		fitLists(&d.Asked, &d.Loaded)
		fitList(&d.Refused, fitRefused)
	case *events.RequestPrefix:
		fitTexts(&d.ProviderDiagnosis)
		fitNames(&d.ErrorType, &d.ResponseModel, &d.ResponseID, &d.FinishReason)
		fitList(&d.Tools, fitPrefixTool)
		fitList(&d.Params, fitParam)
	case *events.ToolRoster:
		fitNames(&d.Server, &d.Release)
		fitLists(&d.NotConnected)
		fitList(&d.Tools, fitRosterTool)
	case *events.ToolDefinition:
		fitNames(&d.ToolName, &d.Server, &d.SchemaVersion, &d.Release)
	case *events.ClientHeartbeat:
		fitNames(&d.ClientID, &d.ClientVersion)
		fitList(&d.Dropped, fitDrop)
	}
}

func fitContext(c *events.Context) {
	fitNames(&c.AgentName, &c.AgentVersion, &c.Environment, &c.Team, &c.ConversationID, &c.RequestID, &c.ProviderName, &c.RequestModel,
		&c.TraceID, &c.SpanID, &c.Cohort)
}

func fitCall(t *events.ToolCall) {
	fitNames(&t.ToolCallID, &t.ToolName, &t.Server, &t.ResolvedName, &t.Bridge, &t.BridgedName, &t.ResolutionHow, &t.SchemaVersion, &t.ActiveVersion, &t.UsedVersion,
		&t.ErrorType, &t.Execution, &t.Migration)
	fitLists(&t.UnknownArguments, &t.DefaultedArguments, &t.RenamedArguments)
	fitList(&t.ValidationErrors, fitValidation)
	fitList(&t.ArgumentShape, fitArgument)
	fitList(&t.MadeUpIDs, fitMadeUp)
}

func fitRefused(r events.RefusedTool) events.RefusedTool { fitNames(&r.Name); return r }

func fitPrefixTool(t events.PrefixTool) events.PrefixTool { fitNames(&t.Name); return t }

func fitParam(p events.Param) events.Param { fitNames(&p.Name); return p }

func fitRosterTool(t events.RosterTool) events.RosterTool { fitNames(&t.Name, &t.Server); return t }

func fitDrop(d events.DropCount) events.DropCount { fitNames(&d.Reason); return d }

func fitValidation(v events.ValidationError) events.ValidationError {
	fitNames(&v.Keyword)
	fitTexts(&v.Path, &v.Message)
	return v
}

func fitArgument(a events.Argument) events.Argument {
	fitNames(&a.Type)
	fitTexts(&a.Path)
	return a
}

func fitMadeUp(m events.MadeUpID) events.MadeUpID { fitTexts(&m.Path, &m.Value); return m }

// fitNames changes those that do not fit.
func fitNames(names ...*string) {
	for _, name := range names {
		if fit := activation.EventName(*name); fit != *name {
			*name = fit
		}
	}
}

func fitTexts(texts ...*string) {
	for _, text := range texts {
		if len(*text) > maxText || !utf8.ValidString(*text) {
			*text = fitText(*text)
		}
	}
}

// fitText makes a text UTF-8 and cuts it, its mark included, at a character.
func fitText(text string) string {
	const mark = "..."
	replaced := strings.ToValidUTF8(text[:min(len(text), 2*maxText)], string(utf8.RuneError))
	if len(text) <= maxText && len(replaced) <= maxText {
		return replaced
	}
	return strings.ToValidUTF8(replaced[:min(len(replaced), maxText-len(mark))], "") + mark
}

func fitLists(lists ...*[]string) {
	for _, list := range lists {
		fitList(list, activation.EventName)
	}
}

// fitList makes the items of a list fit, in a copy where one does not.
func fitList[T comparable](list *[]T, fit func(T) T) {
	copied := false
	for i, item := range *list {
		made := fit(item)
		if made == item {
			continue
		}
		if !copied {
			*list, copied = slices.Clone(*list), true
		}
		(*list)[i] = made
	}
}
