package report

import (
	"io"
	"strconv"
)

// FileBreak is a break of a recorded run: where it is, and all that is known of it.
type FileBreak struct {
	File         string `json:"file"`
	Conversation string `json:"conversation"`
	JudgedRequest
}

// Place says where the break is.
func (b *FileBreak) Place() string {
	text := "request " + strconv.FormatInt(b.Request, 10)
	if b.Conversation != "" {
		text = "conversation " + shortID(b.Conversation) + ", " + text
	}
	return text
}

// maxID is how many cells of a conversation's id a sentence shows.
const maxID = 80

// shortID shows an id in a sentence; one that is empty is named.
func shortID(id string) string { return Cut(Safe(named(id)), maxID) }

// maxBreaks is how many breaks are listed.
const maxBreaks = 10

// WriteBreaks prints breaks in the order given, the first ones or, with [Style.All], all of them.
func WriteBreaks(w io.Writer, all []FileBreak, s Style) error {
	t := &table{columns: []column{
		{title: "conversation", flex: true}, {title: "request", right: true}, {title: "verdict"},
		{title: "tokens lost", right: true}, {title: "cost", right: true},
	}}
	for i := range all[:s.most(maxBreaks, len(all))] {
		b := &all[i]
		t.row(named(b.Conversation), strconv.FormatInt(b.Request, 10), string(b.Verdict), knownOr(optionalCount(b.TokensLost), b.TokensLost != nil), FineUSD(b.LostUSD))
		t.under(b.Why())
		t.under(b.diagnosisText())
	}
	if err := t.write(w, s); err != nil {
		return err
	}
	return more(w, s, len(all), maxBreaks, "break")
}

func knownOr(text string, known bool) string {
	if !known {
		return "unknown"
	}
	return text
}
