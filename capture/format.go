package capture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// Format is one kind of file.
type Format struct {
	// Name is what --format takes.
	Name string
	// About says in a few words what such a file holds.
	About string
	// TakesTools says that [Options.ToolsFile] is used where the file itself does not say which tools there were.
	TakesTools bool
	// Sniff reports whether a file that starts with head is of this format. The head holds at most [HeadBytes] and may end in the
	// middle of a line.
	Sniff func(head []byte) bool
	// Read streams the events of src. Lines it can't read go to [Source.Problem]; the error is for what ends the reading.
	Read func(ctx context.Context, src *Source, emit Emit) error
}

// Emit takes one event. An error ends the reading and comes back from [Reader.Read].
type Emit func(*events.Event) error

// FormatAuto chooses the format by content.
const FormatAuto = "auto"

// HeadBytes is how much of a file [Detect] looks at.
const HeadBytes = 256 << 10

// Formats lists all formats in the order in which they are tried.
func Formats() []Format {
	return []Format{
		cloudEventsFormat(),
		exchangesFormat(),
		toolHistoryFormat(),
		openAIChatFormat(),
		piFormat(),
		claudeCodeFormat(),
	}
}

// FormatNames lists the names that [Options.Format] takes, [FormatAuto] first.
func FormatNames() []string {
	names := []string{FormatAuto}
	for _, f := range Formats() {
		names = append(names, f.Name)
	}
	return names
}

// FormatByName returns the format of a name.
func FormatByName(name string) (Format, error) {
	all := Formats()
	i := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
	if i < 0 {
		return Format{}, fmt.Errorf("find format %q: want one of %s", name, strings.Join(FormatNames(), ", "))
	}
	return all[i], nil
}

// Detect returns the format of a file that starts with head.
func Detect(head []byte) (Format, bool) {
	for _, f := range Formats() {
		if f.Sniff(head) {
			return f, true
		}
	}
	return Format{}, false
}
