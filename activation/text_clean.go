package activation

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// cutMark stands where a text was cut. It is a word of its own, so that it is not taken for the text's own ellipsis.
	cutMark = "[…]"
	// maxMarks is how many combining marks in a row are kept; real scripts need no more.
	maxMarks = 4
)

// CutText makes a description fit for one line and cuts it at a word: white space becomes one space, and characters that can't be seen or would reorder
// the line are dropped. What is left of a longer text has at most limit characters (Unicode code points) and ends with the mark "[…]". A
// text whose last space comes before half of the limit, as one in a script without spaces, is cut inside a word. Lost is what was
// cut off, cleaned; empty when nothing was.
func CutText(text string, limit int) (kept, lost string) {
	return cutClean(cleanText(text), limit)
}

// shortText is what [CutText] keeps, without reading more of a long text than that takes.
func shortText(text string, limit int) string {
	kept, _ := cutClean(cleanStart(text, max(limit, 0)+1), limit)
	return kept
}

// cutClean is [CutText] of a text that is clean.
func cutClean(text string, limit int) (kept, lost string) {
	limit = max(limit, 0)
	if fits(text, limit) {
		return text, ""
	}
	room := limit - utf8.RuneCountInString(cutMark) - 1
	if room < 1 {
		return "", text
	}
	at := cutPlace(text, room)
	return strings.TrimRight(text[:at], " ") + " " + cutMark, strings.TrimLeft(text[at:], " ")
}

// fits reports whether a text has at most limit characters, and does not read on.
func fits(text string, limit int) bool {
	if len(text) <= limit {
		return true
	}
	return byteAt(text, limit) == len(text)
}

// byteAt returns where the character number n begins, the text's length where it has no more than n.
func byteAt(text string, n int) int {
	for at := range text {
		if n == 0 {
			return at
		}
		n--
	}
	return len(text)
}

// cutPlace returns where to cut a text that has more than room characters: behind the last word that fits.
func cutPlace(text string, room int) int {
	end := byteAt(text, room)
	if text[end] == ' ' {
		return end
	}
	if at := strings.LastIndexByte(text[:end], ' '); at >= byteAt(text, room/2) && at > 0 {
		return at
	}
	return beforeMarks(text, end)
}

// beforeMarks moves a place back that would part a character from its combining marks.
func beforeMarks(text string, at int) int {
	for back := at; back > 0; {
		if c, _ := utf8.DecodeRuneInString(text[back:]); !unicode.Is(unicode.M, c) {
			return back
		}
		_, n := utf8.DecodeLastRuneInString(text[:back])
		back -= n
	}
	return at
}

// cleanText puts a text of others on one line: see [CutText].
func cleanText(text string) string { return cleanStart(text, len(text)) }

// cleanStart returns at least so many characters of the clean text, where it has them.
func cleanStart(text string, most int) string {
	var b strings.Builder
	b.Grow(min(len(text), most, maxGrow))
	space, marks := false, 0
	for _, c := range text {
		if unicode.IsSpace(c) {
			space = b.Len() > 0
			continue
		}
		if marks++; !unicode.Is(unicode.M, c) {
			marks = 0
		}
		if !isVisible(c) || marks > maxMarks {
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(c)
		if most--; most <= 0 {
			break
		}
	}
	return b.String()
}

// maxGrow is how much room is made at once for a text whose length others chose, in bytes.
const maxGrow = 4096

// isVisible reports characters that leave a trace where they are printed. Invalid UTF-8 comes as U+FFFD, which does.
func isVisible(c rune) bool {
	if c < utf8.RuneSelf {
		return c >= ' ' && c <= '~'
	}
	return unicode.IsPrint(c) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, c) && !unicode.Is(unicode.Variation_Selector, c)
}

// quoteName writes a name so that no two names are written alike and none can end its line: as it is where it is made of letters and
// digits of ASCII and of _ . : / and -, else quoted and escaped. Of one that is too long to be called, the start, the length and a digest are written.
func quoteName(name string) string {
	if len(name) > maxName {
		return fmt.Sprintf("%s %s(%d bytes, sha256 %x)", quoteASCII(name[:maxShown]), cutMark, len(name), digestOfName(name)[:8])
	}
	if isPlainName(name) {
		return name
	}
	return quoteASCII(name)
}

// digestOfName is the SHA-256 of a name, taken piece by piece, without a copy of a long one.
func digestOfName(name string) []byte {
	h := sha256.New()
	for piece := [maxGrow]byte{}; name != ""; {
		n := copy(piece[:], name)
		_, _ = h.Write(piece[:n])
		name = name[n:]
	}
	return h.Sum(nil)
}

// maxShown is how much is shown of a name that is longer than maxName, in bytes.
const maxShown = 64

func isPlainName(name string) bool {
	for i := range len(name) {
		if !isAlnum(name[i]) && !isSeparator(name[i]) {
			return false
		}
	}
	return name != ""
}

// quoteASCII quotes a name with all escaped that is not plain ASCII, and what HTML would take for its own.
func quoteASCII(name string) string {
	return htmlEscapes.Replace(strconv.QuoteToASCII(name))
}

var htmlEscapes = strings.NewReplacer("<", `\x3c`, ">", `\x3e`, "&", `\x26`)
