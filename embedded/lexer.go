package embedded

import "strings"

// token is one piece of SQL text: a word, a quoted thing, a number or one
// character. Spaces and comments are left out.
type token struct {
	text       string
	start, end int
	depth      int // of brackets around it
	word       bool
}

func (t token) is(keyword string) bool { return t.word && strings.EqualFold(t.text, keyword) }

// lexer cuts ClickHouse SQL into tokens. It is not a parser: it knows enough to
// tell keywords from what stands in quotes, comments and brackets.
type lexer struct {
	text  string
	pos   int
	depth int
}

// next returns the next token; false at the end of the text.
func (l *lexer) next() (token, bool) {
	l.skipBlank()
	if l.pos >= len(l.text) {
		return token{}, false
	}
	start, c := l.pos, l.text[l.pos]
	t := token{start: start, depth: l.depth}
	switch {
	case c == '\'' || c == '"' || c == '`':
		l.skipQuoted(c)
	case isWordByte(c):
		for l.pos < len(l.text) && isWordByte(l.text[l.pos]) {
			l.pos++
		}
		t.word = c < '0' || c > '9'
	case c == '$' && l.skipHeredoc():
	default:
		l.pos++
		l.count(c)
	}
	t.end, t.text = l.pos, l.text[start:l.pos]
	return t, true
}

func (l *lexer) count(c byte) {
	switch c {
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		l.depth = max(0, l.depth-1)
	}
}

func (l *lexer) skipBlank() {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch {
		case isSpace(rest[0]):
			l.pos++
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "#!"), strings.HasPrefix(rest, "# "):
			l.skipPast(rest, "\n", 0)
		case strings.HasPrefix(rest, "/*"):
			l.skipPast(rest, "*/", 2)
		default:
			return
		}
	}
}

// skipPast moves behind the next mark in rest, or to the end of the text.
func (l *lexer) skipPast(rest, mark string, from int) {
	at := strings.Index(rest[from:], mark)
	if at < 0 {
		l.pos = len(l.text)
		return
	}
	l.pos += from + at + len(mark)
}

// skipQuoted moves behind a quoted string or name; a doubled quote and a
// backslash stand for characters in it.
func (l *lexer) skipQuoted(quote byte) {
	for l.pos++; l.pos < len(l.text); l.pos++ {
		switch l.text[l.pos] {
		case '\\':
			l.pos++
		case quote:
			if l.pos+1 >= len(l.text) || l.text[l.pos+1] != quote {
				l.pos++
				return
			}
			l.pos++
		}
	}
	l.pos = len(l.text)
}

// skipHeredoc moves behind $tag$ ... $tag$ when one stands here.
func (l *lexer) skipHeredoc() bool {
	rest := l.text[l.pos:]
	n := 1
	for n < len(rest) && isWordByte(rest[n]) {
		n++
	}
	if n >= len(rest) || rest[n] != '$' {
		return false
	}
	tag := rest[:n+1]
	at := strings.Index(rest[len(tag):], tag)
	if at < 0 {
		return false
	}
	l.pos += 2*len(tag) + at
	return true
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
