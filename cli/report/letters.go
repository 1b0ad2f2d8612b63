package report

import (
	"io"
	"time"
)

// Letter is a dead letter in a list.
type Letter struct {
	ID                    string
	Time                  time.Time
	Subject, Path, Reason string
}

// LetterList prints dead letters, one a line.
func LetterList(w io.Writer, all []Letter, s Style) error {
	if len(all) == 0 {
		return note(w, s, "No dead letters.")
	}
	t := &table{columns: []column{
		{title: "id"}, {title: "refused", drop: 2}, {title: "subject", flex: true, drop: 1}, {title: "path", flex: true}, {title: "reason", flex: true},
	}}
	for _, l := range all {
		t.row(l.ID, minute(l.Time), l.Subject, l.Path, l.Reason)
	}
	return t.write(w, s)
}
