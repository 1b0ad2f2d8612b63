package capture

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

const madeUpPage = `# Made-up ids: what is flagged, and how sure that is

An argument's value is called made up when it looks like an id and appeared nowhere before in its conversation: not in a message of the user or system, a result, or a tool's definition with its enums, constants,
defaults and examples. What looks like an id: a UUID; a word and a number of four digits or more under a name such as ` + "`user_id`" + `; a number of six digits or more under such a name; and under such a name what has the
shape of at least two different values that results of the same conversation had under such names or in lists. Words, dates, years, airport codes, amounts, round numbers, versions, regions, branches and paths do not, nor what the caller is
to make up (below). See decisions [072](decisions/072-made-up-ids-err-on-silence.md) and [173](decisions/173-ids-that-people-write-and-names-that-are-none.md).

It is computed where the text is, in package capture for recordings and with ` + "`activation.IDs`" + ` in an agent. What leaves is the place of the value in the arguments, its names that look like values replaced by *
([181](decisions/181-places-in-arguments-hold-no-values.md)), and a [digest](#what-a-digest-is-for); the value itself only where values are included. Where the model has read what is no text, or the beginning of the conversation is not known, nothing is flagged.

## In an agent

` + "```go" + `
ids := c.NewIDs(activation.IDSettings{}) // one a conversation, from its first message on

ids.SeeRequest(body)    // before each request, with the JSON that is sent
ids.SeeResponse(answer) // with each answer, before its calls, where the provider runs tools

call := c.ToolCallStart(about, name, arguments)
call.State, call.IDs = state, ids
decision, err := call.Check(ctx) // looks for ids before it decides anything
` + "```" + `

` + "`SeeRequest`" + ` reads the bodies of Anthropic, OpenAI (both APIs), Gemini and Bedrock: system prompt, definitions, messages and results, and not what the model said itself. An agent without the body calls ` + "`See`" + ` for what the model reads,
` + "`Learn`" + ` for results once their call was checked, and ` + "`Blind`" + ` for pictures and files; one without the client ` + "`CheckCall`" + ` with the tool's name. What the tracker is not told of, it takes to be made up. It may be shared by the goroutines of parallel calls. It keeps at most ` + "`IDSettings.MaxSeen`" + ` pieces (262,144, some ten
megabytes a conversation); past that it forgets all and flags nothing any more. A message is looked through once, a megabyte in about a tenth of a second; a request of a megabyte that was seen before costs some milliseconds, and a
call some ten microseconds. See decision [182](decisions/182-an-agent-tells-what-its-model-reads-by-requests.md).

### Tools that the provider runs

A hosted search or MCP server gives the model results inside an answer. They come before the calls in the same answer, and may be in no later request: with ` + "`previous_response_id`" + `, or with Gemini. ` + "`SeeResponse(answer)`" + ` takes
them from the raw JSON of the answer, in any of the five forms (of a stream: what its events come to; OpenAI's last event will do), and leaves the model's own words out. Call it with each answer, before its calls are checked. Whether it is needed the
tracker sees by the tools that a request offers:

- all run by the agent: not needed;
- some run by the provider: between a request and its answer's ` + "`SeeResponse`" + ` nothing is flagged. Where it never comes, the next request makes up for it if it has the results (Anthropic, Bedrock, the Responses API without ` + "`previous_response_id`" + `); else nothing
  is flagged for the rest of the conversation.

### Where nothing is flagged any more

What the model reads and is no text, at any depth of a message, a result or an answer: pictures, films, sounds, files, documents but those whose source is text, screenshots, MCP's ` + "`blob`" + `, data URLs, whatever is called
` + "`encrypted_…`" + ` (Anthropic's pages of a search), pages and files that an answer cites or Gemini's ` + "`groundingMetadata`" + ` names, OpenAI's ` + "`web_search_call`" + `, and its searches of files and runs of code whose results were not asked for
(` + "`include`" + `). So do an explicit cache, a stored prompt, and in a first request what stands for something older: ` + "`previous_response_id`" + `, ` + "`conversation`" + `, ` + "`item_reference`" + `, ` + "`compaction`" + `. The model's own thoughts may be encrypted.

### What the caller makes up

One rule by the argument's name, one by the tool's. What they leave out is known from then on.

- A name with a word such as ` + "`idempotency`" + `, ` + "`request`" + `, ` + "`client`" + `, ` + "`new`" + `, ` + "`external`" + `, ` + "`session`" + ` or ` + "`run`" + ` (all: ` + "`IDSettings.OwnKeys`" + `; ` + "`run_ids`" + ` speaks of what exists and is looked at), ` + "`key`" + ` alone, and the ` + "`id`" + ` of an item in a list that the call gives.
- In a tool whose name has create, add, insert, register, make, define, put, save, set, store, upsert, remember or write, and no word such as get or list: ` + "`id`" + `, ` + "`uuid`" + ` and the like alone, at any depth, and ` + "`task_id`" + ` of ` + "`create_task`" + `; not ` + "`user_id`" + ` of
  ` + "`create_order`" + `. The tool inside a bridge counts.

### How ids may have been written

In other case, separators, spaces, dashes and digits of any script; in groups (5 634 230, 1 - 2 - 3); spelled; escaped; as 1.2345678e+07. The numbers of a range were seen, in whatever language (100041 to 100044, at most 1,000 apart), and so was the number
right after or before one that was seen, of four digits and more: "the next after INV-10041". A model that counts on by itself is missed for that. Numbers in words are not understood: with "seven million and one" in the text, 7000001 is flagged.

## What a digest is for

The report and its JSON name a made-up id by tool, conversation, place in the arguments and digest. The conversation and the place find the value in the agent's own logs. The same digest twice is the same id twice: in one conversation the model
tried again, in several it has the id from somewhere, such as an example in a prompt. Ids of refused calls count too, since the model made them up all the same.

A digest is the start of a SHA-256, or of an HMAC where the agent has a key. Without a key whoever reads it can try all ids of seven digits in seconds: [what-leaves-your-agent.md](what-leaves-your-agent.md) says how to set one.

A test of package capture makes this page (` + "`go test ./capture -run MadeUpIDs -update`" + `) and fails when a figure differs; it needs the recordings, which are not part of this repository.

## How much is found, and how much of it is right

Measured on %d calls of 100 recorded conversations of an airline's agent. The tracker's judgement is held against a search that knows nothing of it: for the value, in all that was said before, as it is and then without case and separators.

- **Precision: %d of %d flags are right** (lower end of the 95 %% Wilson interval: %.0f %%, since there are so few). The search finds neither value before its call.
- **No false alarm on %d other values that look like ids** (at most %.1f %% of them could be, by the same interval): all were judged seen. The search finds %d as they are, %d in other case or separators and %d not at all.
- **Recall: %.1f %% of planted ids.** Each of the values under the %d arguments that hold ids, one at a time, was replaced by one like it that the search finds nowhere: the same words and other digits, and other letters too where both are mixed.

| argument | planted | flagged | share |
|---|---|---|---|
%s
What is missed are ids whose shape no result had shown yet, ids of letters alone, and short numbers that stand somewhere by themselves. The rules on ranges, on the next number and on what callers name cost nothing of it: it was 741 of 863 before them, argument by argument.

The two flags, of one value:

| conversation | call | tool | argument | digest | shape |
|---|---|---|---|---|---|
%s
Over all recordings, no other flag was raised:

| recording | calls | flags |
|---|---|---|
%s
## A sample of what was judged seen

50 of the %d values that look like ids and were judged seen, drawn with ` + "`math/rand/v2`" + `'s PCG, seed %d, 1. The digest is the start of the value's SHA-256; in the shape a stands for a small letter, A for a large one and 9 for a digit.
"Seen in" is the first text that has it. All 50 stand there: none was wrongly judged seen.

| | conversation | call | tool | argument | digest | shape | seen in | how |
|---|---|---|---|---|---|---|---|---|
%s`

func TestThePageOfMadeUpIDsIsTrue(t *testing.T) {
	d := readIDs(t)
	var flagged, right, seen int
	forms, values := map[string]int{}, map[string]bool{}
	for _, u := range d.uses {
		switch {
		case u.Seen:
			seen++
			forms[u.form]++
		default:
			flagged++
			values[u.Value] = true
			if u.where == "" {
				right++
			}
		}
	}
	if d.calls != 621 || flagged != 2 || right != 2 || len(values) != 1 {
		t.Errorf("%d calls, %d flags, %d of them right, of %d values", d.calls, flagged, right, len(values))
	}
	plants, ids, found := d.plantRows()
	sameAsDoc(t, "../docs/made-up-ids.md", fmt.Sprintf(madeUpPage,
		d.calls, right, flagged, lowest(right, flagged),
		seen, 100-lowest(seen, seen), forms["as it is"], forms["in other case or separators"], forms[""],
		100*float64(found)/float64(ids), len(idArguments), plants, flagRows(d.uses), recordingRows(t), seen, sampleSeed, sampleRows(t, sampled(d.uses))))
}

// plantRows makes the table of planted ids.
func (d *idReader) plantRows() (rows string, ids, flagged int) {
	for _, name := range append(idArguments, "all") {
		p := d.plants[name]
		if p == nil {
			p = &planted{ids, flagged}
		} else {
			ids, flagged = ids+p.ids, flagged+p.flagged
		}
		rows += fmt.Sprintf("| %s | %d | %d | %.1f %% |\n", name, p.ids, p.flagged, 100*float64(p.flagged)/float64(p.ids))
	}
	return rows, ids, flagged
}

// flagRows makes the table of what is called made up.
func flagRows(uses []idUse) string {
	var b strings.Builder
	for _, u := range uses {
		if !u.Seen {
			fmt.Fprintf(&b, "| %d | %d | `%s` | `%s` | `%s` | `%s` |\n", u.conversation, u.call, u.tool, u.Path, u.Digest[:12], form(u.Value))
		}
	}
	return b.String()
}

// sampleRows makes the table of the sample.
func sampleRows(t *testing.T, sample []idUse) string {
	var b strings.Builder
	for i, u := range sample {
		if u.where == "" {
			t.Errorf("conversation %d call %d: %s was judged seen and is nowhere", u.conversation, u.call, u.Path)
		}
		fmt.Fprintf(&b, "| %d | %d | %d | `%s` | `%s` | `%s` | `%s` | %s | %s |\n",
			i+1, u.conversation, u.call, u.tool, u.Path, u.Digest[:12], form(u.Value), u.where, u.form)
	}
	return b.String()
}

// recordingRows counts calls and flags of every recording.
func recordingRows(t *testing.T) string {
	var b strings.Builder
	for _, name := range []string{
		"airline-trajectories.jsonl", "llm-exchanges.jsonl", "agent-session-large-session.jsonl", "claude-code/representative.jsonl",
		"claude-code/edge-cases.jsonl", "claude-code/sample.jsonl",
	} {
		opt := Options{}
		if name == "airline-trajectories.jsonl" {
			opt.ToolsFile = eventstest.SharedFile(t, "airline-tools.json")
		}
		all, _ := captureAll(t, eventstest.SharedFile(t, filepath.FromSlash(name)), opt)
		calls, flags := only[*events.ToolCall](all), 0
		for _, c := range calls {
			flags += len(c.MadeUpIDs)
			if len(c.MadeUpIDs) > 0 && opt.ToolsFile == "" {
				t.Errorf("%s: %s has made-up ids at %s", name, c.ToolName, c.MadeUpIDs[0].Path)
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d |\n", name, len(calls), flags)
	}
	return b.String()
}
