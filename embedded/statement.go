package embedded

import "strings"

// statement is what the front must know of a SQL text before it hands it on.
type statement struct {
	// insert tells an INSERT that brings its data along; head is its text
	// without format and data, and data starts at dataAt.
	insert bool
	head   string
	dataAt int
	// complete tells that the text seen so far settles what the statement is;
	// of a text that was cut, more must be read otherwise.
	complete bool
	// format is the format named in the text, "" when it names none.
	format string
	// whole tells a result that has something before or behind its rows.
	whole bool
	// file tells a clause that reads or writes a file of the client.
	file bool
}

// inspect reads SQL text as far as it must.
func inspect(text string) statement {
	l := &lexer{text: text}
	first, ok := l.next()
	if ok && first.is("INSERT") {
		return inspectInsert(l)
	}
	return inspectQuery(l, first)
}

// inspectQuery looks through a whole statement that brings no data.
func inspectQuery(l *lexer, before token) statement {
	var s statement
	for t, ok := l.next(); ok; t, ok = l.next() {
		switch {
		case t.is("TOTALS"), t.is("extremes"), t.is("output_format_json_array_of_rows"):
			s.whole = true
		case t.is("OUTFILE") && before.is("INTO"), t.is("INFILE") && before.is("FROM"):
			s.file = true
		case before.is("FORMAT") && before.depth == 0 && t.word:
			s.format = t.text
		}
		before = t
	}
	return s
}

// inspectInsert reads an INSERT up to its data. What names its target comes
// first, so that a table or column called format or values is no keyword.
func inspectInsert(l *lexer) statement {
	t, ok := skipTarget(l)
	for ; ok; t, ok = l.next() {
		if t.depth > 0 {
			continue
		}
		switch {
		case t.is("VALUES"):
			return statement{insert: true, complete: true, head: l.text[:t.start], format: "Values", dataAt: t.end}
		case t.is("FORMAT"):
			return insertFormat(l, t)
		case t.is("SELECT"), t.is("WITH"):
			return inspectQuery(l, t)
		case t.is("INFILE"):
			return statement{complete: true, file: true}
		}
	}
	return statement{insert: true, head: l.text, dataAt: len(l.text)}
}

// skipTarget reads INTO [TABLE] [FUNCTION] name[.name] and returns what follows.
func skipTarget(l *lexer) (token, bool) {
	t, ok := l.next()
	for ok && (t.is("INTO") || t.is("TABLE") || t.is("FUNCTION")) {
		t, ok = l.next()
	}
	for ok {
		if t, ok = l.next(); !ok || t.text != "." {
			return t, ok
		}
		t, ok = l.next()
	}
	return t, ok
}

// insertFormat reads the format's name and finds where the data starts: behind
// spaces and at most one line break.
func insertFormat(l *lexer, keyword token) statement {
	name, ok := l.next()
	if !ok || name.end == len(l.text) {
		// The name may go on in what is yet to be read.
		return statement{insert: true, head: l.text[:keyword.start], format: name.text, dataAt: len(l.text)}
	}
	at := name.end
	for at < len(l.text) && (l.text[at] == ' ' || l.text[at] == '\t' || l.text[at] == '\f' || l.text[at] == ';') {
		at++
	}
	at += len(l.text[at:]) - len(strings.TrimPrefix(l.text[at:], "\r"))
	at += len(l.text[at:]) - len(strings.TrimPrefix(l.text[at:], "\n"))
	return statement{insert: true, complete: true, head: l.text[:keyword.start], format: name.text, dataAt: at}
}
