package report

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Style is how to print.
type Style struct {
	// Width is the most cells a line may take; 0 is a pipe or file, where names are cut only when they are very long.
	Width int
	// Colour uses ANSI colours.
	Colour bool
	// All lists everything where a report lists the worst only.
	All bool
}

// pipeWidth is where running text breaks when there is no terminal.
const pipeWidth = 100

// minWidth is the narrowest terminal that lines are fitted to.
const minWidth = 30

// StyleOf reads the style from where w leads and from the environment: NO_COLOR and TERM=dumb turn colour off, COLUMNS gives
// the width.
func StyleOf(w io.Writer, getenv func(string) string) Style {
	var s Style
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.Colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
		s.Width = 80
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			s.Width = width
		}
	}
	if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	}
	if s.Width > 0 {
		s.Width = max(s.Width, minWidth)
	}
	return s
}

// textWidth is where running text breaks.
func (s Style) textWidth() int {
	if s.Width == 0 || s.Width > pipeWidth {
		return pipeWidth
	}
	return s.Width
}

const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	yellow = "33"
	green  = "32"
	cyan   = "36"
)

// paint colours text, which must be [Safe].
func (s Style) paint(code, text string) string {
	if !s.Colour || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
