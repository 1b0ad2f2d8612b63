package drift

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// ToolRename says that calls of a tool that is gone probably belong to another one now.
type ToolRename struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Merged says that the other tool took over several, or was there before.
	Merged bool `json:"merged,omitzero"`
	// Evidence says what speaks for it.
	Evidence []string `json:"evidence"`

	score float64
}

// toolProfile is what likeness is judged by.
type toolProfile struct {
	name        string
	words       []string
	title, text string
	// arguments are the names of the arguments as written in small letters without what parts words.
	arguments map[string]bool
	// values are the strings that an argument can be, with the argument's name.
	values map[string]string
}

// RenameTools finds, for each tool of before that after lacks, the tool that took its place. An alias table of former to present
// names is believed. Else a tool that takes the old name, or what is left of it, as a value counts; and one that is new and
// alike by its name, title or description. A good part of its arguments must be the
// other's too.
func RenameTools(before, after []events.Tool, aliases map[string]string, l Limits) []ToolRename {
	if !someGone(before, after) {
		return nil
	}
	l = l.orDefault()
	then, now := profiles(before, l), profiles(after, l)
	var out []ToolRename
	for _, was := range then {
		if indexOf(now, was.name) >= 0 {
			continue
		}
		if to, ok := aliases[was.name]; ok && indexOf(now, to) >= 0 {
			out = append(out, ToolRename{From: was.name, To: to, Merged: indexOf(then, to) >= 0, Evidence: []string{"alias table"}, score: 9})
			continue
		}
		if r := bestRename(was, then, now); r.score > 0 {
			out = append(out, r)
		}
	}
	markMerged(out)
	slices.SortFunc(out, func(a, b ToolRename) int { return cmp.Compare(a.From, b.From) })
	return out
}

// someGone reports that a tool of before is not in after.
func someGone(before, after []events.Tool) bool {
	now := byName(after)
	return slices.ContainsFunc(before, func(t events.Tool) bool { _, still := now[t.Name]; return !still })
}

func markMerged(all []ToolRename) {
	count := map[string]int{}
	for _, r := range all {
		count[r.To]++
	}
	for i := range all {
		all[i].Merged = all[i].Merged || count[all[i].To] > 1
	}
}

func indexOf(all []toolProfile, name string) int {
	return slices.IndexFunc(all, func(p toolProfile) bool { return p.name == name })
}

func bestRename(was toolProfile, then, now []toolProfile) ToolRename {
	var best ToolRename
	for _, is := range now {
		existed := indexOf(then, is.name) >= 0
		r := likeTool(was, is, !existed)
		r.Merged = existed
		if r.score > best.score {
			best = r
		}
	}
	return best
}

// likeTool weighs whether a tool took another's place; the score is 0 when nothing says so.
func likeTool(was, is toolProfile, fresh bool) ToolRename {
	r := ToolRename{From: was.name, To: is.name}
	shared := sharedArguments(was, is)
	if shared < 0.25 {
		return r
	}
	say := func(score float64, what string) {
		r.score += score
		r.Evidence = append(r.Evidence, what)
	}
	if argument, value := takesAsValue(was, is, fresh); value != "" && (shared >= 0.5 || value == was.name) {
		say(2, "its "+argument+" takes "+value)
	}
	if fresh && shared >= 0.5 {
		likeNew(was, is, shared, say)
	}
	if r.score > 0 {
		say(shared/2, likenessText("arguments in common", shared))
	}
	return r
}

// likeNew weighs a tool that was not there before.
func likeNew(was, is toolProfile, shared float64, say func(float64, string)) {
	names, subject := wordLikeness(was.words, is.words), notVerbs(is.words)
	same := len(subject) > 0 && within(subject, was.words)
	if was.title != "" && was.title == is.title {
		say(0.6, "same title")
	}
	if texts := wordLikeness(words(was.text), words(is.text)); same && len(was.text) > 10 && texts >= 0.8 {
		say(0.5, likenessText("descriptions alike", texts))
	}
	switch {
	case names >= 0.7 && shared >= 0.6:
		say(names, likenessText("names alike", names))
	case shared >= 0.9 && is.dispatches() && same && sameEffect(was.words, is.words):
		say(0.4+0.1*float64(len(subject)), "it does several things to the same "+strings.Join(subject, " "))
	}
}

// takesAsValue returns the argument and its value that stand for the old tool: the value is the old name, or completes the new
// tool's subject to it. A value with one word more counts where the name is long.
func takesAsValue(was, is toolProfile, fresh bool) (argument, value string) {
	for v, arg := range is.values {
		vw := words(v)
		exact := sameWords(vw, was.words)
		longer := len(was.words) >= 3 && len(vw) == len(was.words)+1 && within(was.words, vw)
		completes := fresh && len(vw) > 0 && sameWords(append(slices.Clone(vw), notVerbs(is.words)...), was.words)
		if len(was.words) < 2 || !exact && !longer && !completes {
			continue
		}
		if value == "" || exact || v < value {
			argument, value = arg, v
		}
		if exact {
			break
		}
	}
	return argument, value
}

// sharedArguments is the share of a tool's arguments that another one has too; 1 when it has none.
func sharedArguments(was, is toolProfile) float64 {
	if len(was.arguments) == 0 {
		return 1
	}
	n := 0
	for name := range was.arguments {
		if is.arguments[name] {
			n++
		}
	}
	return float64(n) / float64(len(was.arguments))
}

// dispatches reports that an argument chooses what the tool does.
func (p *toolProfile) dispatches() bool {
	return slices.ContainsFunc([]string{"method", "action", "operation", "command", "mode"}, func(n string) bool { return p.arguments[n] })
}

// profiles reads what likeness is judged by; of two tools of one name the first counts.
func profiles(tools []events.Tool, l Limits) []toolProfile {
	out := make([]toolProfile, 0, len(tools))
	for _, t := range tools {
		if indexOf(out, t.Name) < 0 {
			out = append(out, profileOf(t, l))
		}
	}
	return out
}

func profileOf(t events.Tool, l Limits) toolProfile {
	p := toolProfile{name: t.Name, words: words(t.Name), text: t.Description, arguments: map[string]bool{}, values: map[string]string{}}
	if members, err := membersOf(t.Raw, l); err == nil {
		title, ok := members["/annotations/title"].(string)
		if !ok {
			title, _ = members["/title"].(string)
		}
		p.title = title
	}
	doc, _, err := readValue(schemaOf(t), l.SchemaDepth, l.SchemaNodes, l.ListItems)
	if err != nil {
		return p
	}
	root, _ := doc.(map[string]any)
	properties, _ := root["properties"].(map[string]any)
	for name, v := range properties {
		p.arguments[strings.Join(words(name), "")] = true
		schema, _ := v.(map[string]any)
		list, _ := schema["enum"].([]any)
		if c, ok := schema["const"]; ok {
			list = append(slices.Clone(list), c)
		}
		for _, e := range list {
			if s, ok := e.(string); ok && len(p.values) < maxFinite {
				p.values[s] = name
			}
		}
	}
	return p
}
