package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tooltrail/tooltrail/prefix"
)

// RequestDiff says how two request bodies differ, and what of the prompt cache is at stake. It holds text of both.
type RequestDiff struct {
	Before    DiffedBody       `json:"before"`
	After     DiffedBody       `json:"after"`
	Verdict   prefix.Verdict   `json:"verdict"`
	Secondary []prefix.Verdict `json:"secondary"`
	// First is the first difference in the provider's order, Raw that in the files; nil where there is none.
	First        *DiffPlace          `json:"first_difference"`
	Raw          *DiffPlace          `json:"first_difference_in_files"`
	Tools        []prefix.ToolChange `json:"tool_changes,omitzero"`
	Params       []string            `json:"params,omitzero"`
	SystemBlock  *int                `json:"system_block,omitzero"`
	Message      *int                `json:"message,omitzero"`
	MarkersMoved bool                `json:"markers_moved"`
	// MarkersNeeded says that A's provider caches only what stands before a marker.
	MarkersNeeded bool `json:"markers_needed"`
	// CommonBytes is how far the prefixes are the same, CachedBytes how much of A's the provider keeps, UsableBytes how much of that it can
	// serve to B, BytesAtStake the rest.
	CommonBytes  int `json:"common_bytes"`
	CachedBytes  int `json:"cached_bytes"`
	UsableBytes  int `json:"usable_bytes"`
	BytesAtStake int `json:"bytes_at_stake"`
	// TokensAtStake rests on bytes; Estimated says that it is no share of a prompt whose length is known.
	TokensAtStake int64 `json:"tokens_at_stake"`
	Estimated     bool  `json:"tokens_are_estimated"`
	// LostUSD is what they cost to be processed again instead of being read, nil where Model has no known price.
	LostUSD *float64 `json:"lost_cost_usd"`
	Model   string   `json:"priced_as"`
	// Notes say what else is to be known, Fix what to do; empty where there is nothing to do.
	Notes []string `json:"notes,omitzero"`
	Fix   string   `json:"fix,omitzero"`
}

// DiffedBody is one of two bodies.
type DiffedBody struct {
	File     string     `json:"file"`
	Provider string     `json:"provider"`
	API      prefix.API `json:"api"`
	Model    string     `json:"model"`
	// PrefixBytes is the length of the prefix.
	PrefixBytes int `json:"prefix_bytes"`
	Tools       int `json:"tools"`
	System      int `json:"system_blocks"`
	Messages    int `json:"messages"`
}

// DiffPlace is a place where two bodies differ.
type DiffPlace struct {
	Before DiffSpot `json:"before"`
	After  DiffSpot `json:"after"`
}

// DiffSpot is one side of it: the byte, from 0, the block that it lies in, and the text around it.
type DiffSpot struct {
	Offset  int    `json:"offset"`
	Missing bool   `json:"missing,omitzero"`
	Part    string `json:"part"`
	Index   int    `json:"index"`
	Name    string `json:"name,omitzero"`
	Lead    string `json:"lead"`
	Text    string `json:"text"`
}

// WriteRequestDiff prints a difference.
func WriteRequestDiff(w io.Writer, d *RequestDiff, s Style) error {
	heads := []string{"A: " + d.Before.text(), "B: " + d.After.text(), d.verdictText()}
	for _, text := range append(heads, d.changeTexts()...) {
		if err := note(w, s, text); err != nil {
			return err
		}
	}
	if err := d.writePlaces(w, s); err != nil {
		return err
	}
	if err := d.toolTable().write(w, s); err != nil {
		return err
	}
	texts := append([]string{"", d.stakeText()}, d.Notes...)
	if d.Fix != "" {
		texts = append(texts, "What to do: "+d.Fix)
	}
	for _, text := range texts {
		if err := note(w, s, text); err != nil {
			return err
		}
	}
	return nil
}

func (b *DiffedBody) text() string {
	return fmt.Sprintf("%s (%s: %s, %s, %s)", b.File, modelName(b.Provider, b.Model), Plural(int64(b.Tools), "tool"),
		Plural(int64(b.System), "system block"), Plural(int64(b.Messages), "message"))
}

// verdictText says what a cache would make of the second request after the first.
func (d *RequestDiff) verdictText() string {
	text := "Verdict: " + string(d.Verdict)
	if d.Verdict == prefix.OK {
		text += ", a cache can serve all that both have"
	} else {
		text += ", " + verdictWords[d.Verdict]
	}
	if len(d.Secondary) > 0 {
		text += "; also " + verdictList(d.Secondary)
	}
	return text + "."
}

// changeTexts say what changed, but for tools, which have a table.
func (d *RequestDiff) changeTexts() []string {
	r := JudgedRequest{Verdict: d.Verdict, Secondary: d.Secondary, SystemBlock: d.SystemBlock, Message: d.Message, Params: d.Params}
	text := strings.Join(notEmpty([]string{r.systemText(), r.paramText(), r.messageText()}), "; ")
	if text == "" {
		return nil
	}
	return []string{strings.ToUpper(text[:1]) + text[1:] + "."}
}

// writePlaces shows where the two first differ.
func (d *RequestDiff) writePlaces(w io.Writer, s Style) error {
	if d.First == nil {
		return note(w, s, d.sameText())
	}
	if err := writePlace(w, s, "First difference in the provider's order", d.First); err != nil {
		return err
	}
	if d.Raw == nil || d.Raw.Before.Offset == d.First.Before.Offset && d.Raw.After.Offset == d.First.After.Offset {
		return nil
	}
	return writePlace(w, s, "First difference in the files", d.Raw)
}

// sameText says that the prefixes do not differ, and what differs then.
func (d *RequestDiff) sameText() string {
	more := d.After.Messages - d.Before.Messages
	switch {
	case d.Raw == nil:
		return "The two are the same, byte for byte."
	case more > 0:
		return "The prefixes are the same as far as both go: the second one has " + Plural(int64(more), "message") + " more."
	case more < 0:
		return "The prefixes are the same as far as both go: the second one has " + Plural(int64(-more), "message") + " less."
	}
	return "The prefixes are the same. What differs is no part of them: markers, members beside the prompt, or spaces between blocks."
}

// writePlace shows both sides of a difference, one below the other, with a mark below the byte.
func writePlace(w io.Writer, s Style, title string, p *DiffPlace) error {
	if err := note(w, s, ""); err != nil {
		return err
	}
	a, b := Count(int64(p.Before.Offset)), Count(int64(p.After.Offset))
	text := fmt.Sprintf("%s: %s, byte %s of A; %s, byte %s of B", title, p.Before.block(), a, p.After.block(), b)
	if p.Before.block() == p.After.block() {
		text = fmt.Sprintf("%s: %s, byte %s of A and %s of B", title, p.Before.block(), a, b)
	}
	if err := note(w, s, text); err != nil {
		return err
	}
	room := s.textWidth() - len(indent) - 2
	lead := min(room*2/5, max(Width(Safe(p.Before.Lead)), Width(Safe(p.After.Lead))))
	_, err := io.WriteString(w, p.Before.line("-", lead, room, s, red)+p.After.line("+", lead, room, s, green)+
		indent+strings.Repeat(" ", 2+lead)+"^\n")
	return err
}

// block names the block of a place.
func (p *DiffSpot) block() string {
	switch p.Part {
	case "tools":
		return "tool " + strconv.Itoa(p.Index+1) + " (" + named(p.Name) + ")"
	case "system":
		return "system block " + strconv.Itoa(p.Index)
	case "messages":
		return "message " + strconv.Itoa(p.Index)
	case "params":
		return "parameter " + p.Name
	}
	if p.Name != "" {
		return "member " + p.Name
	}
	return "outside of the prompt"
}

// line shows one side: as much before the byte as there is room for, then the byte and what follows.
func (p *DiffSpot) line(mark string, lead, room int, s Style, colour string) string {
	before := cutFront(Safe(p.Lead), lead)
	text := Safe(p.Text)
	if p.Missing {
		text = "(ends here)"
	}
	return indent + s.paint(colour, mark) + " " + strings.Repeat(" ", lead-Width(before)) + before + s.paint(colour, Cut(text, room-lead)) + "\n"
}

// cutFront keeps the last width cells of s, which is [Safe].
func cutFront(s string, width int) string {
	n := Width(s)
	switch {
	case n <= width:
		return s
	case width <= 0:
		return ""
	}
	for i, r := range s {
		if n <= width-1 {
			return "…" + s[i:]
		}
		n -= runeWidth(r)
	}
	return "…"
}

func (d *RequestDiff) toolTable() *table {
	t := &table{columns: []column{{title: "tool", flex: true}, {title: "change"}, {title: "place", right: true}}}
	for i := range d.Tools {
		c := &d.Tools[i]
		t.row(c.Name, toolKindText(c), strconv.Itoa(c.Index+1))
	}
	return t
}

// stakeText says what has to be processed again.
func (d *RequestDiff) stakeText() string {
	kept := "bytes of A"
	if d.MarkersNeeded {
		kept = "bytes of A up to its last marker"
	}
	switch {
	case d.MarkersNeeded && d.CachedBytes == 0:
		return "At stake: nothing, since nothing is cached: this provider keeps what stands before a marker, and A has none."
	case d.BytesAtStake == 0:
		return "At stake: nothing. What the cache keeps of A (" + Count(int64(d.CachedBytes)) + " " + kept + ") can come from it, as far as B has it."
	}
	text := fmt.Sprintf("At stake: %s of the %s %s, %s tokens", Count(int64(d.BytesAtStake)), Count(int64(d.CachedBytes)), kept, Count(d.TokensAtStake))
	if d.Estimated {
		text += fmt.Sprintf(" (an estimate: %d bytes a token; --tokens gives the length of the first prompt)", prefix.BytesPerToken)
	}
	if d.LostUSD == nil {
		return text + ". What they cost is not known: there is no price for " + d.Model + "; --model names one that has, --prices gives prices."
	}
	return text + ", " + FineUSD(d.LostUSD) + " at the price of " + d.Model + "."
}
