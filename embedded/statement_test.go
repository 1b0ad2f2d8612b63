package embedded

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInsertsAreToldFromQueries(t *testing.T) {
	for _, c := range []struct {
		text, head, format, data string
	}{
		{"INSERT INTO t FORMAT CSV\n1,2\n", "INSERT INTO t ", "CSV", "1,2\n"},
		{"INSERT INTO t FORMAT CSV\r\n1,2\n", "INSERT INTO t ", "CSV", "1,2\n"},
		{"INSERT INTO t FORMAT CSV \t 1,2\n", "INSERT INTO t ", "CSV", "1,2\n"},
		{"INSERT INTO t FORMAT CSV;\n1,2\n", "INSERT INTO t ", "CSV", "1,2\n"},
		{"INSERT INTO t FORMAT TSV\n\n1\n", "INSERT INTO t ", "TSV", "\n1\n"},
		{"insert into t values (1)", "insert into t ", "Values", " (1)"},
		{"INSERT INTO t (format, `values`) VALUES (1, 'FORMAT x')", "INSERT INTO t (format, `values`) ", "Values", " (1, 'FORMAT x')"},
		{"INSERT INTO format FORMAT Native\n\x00", "INSERT INTO format ", "Native", "\x00"},
		{"INSERT INTO db.values (a) VALUES (1)", "INSERT INTO db.values (a) ", "Values", " (1)"},
		{"INSERT INTO TABLE \"a.b\".`c` FORMAT JSONEachRow {}", "INSERT INTO TABLE \"a.b\".`c` ", "JSONEachRow", "{}"},
		{"INSERT INTO t SETTINGS a = 'VALUES', b = 1 FORMAT TSV\nx", "INSERT INTO t SETTINGS a = 'VALUES', b = 1 ", "TSV", "x"},
		{"/* VALUES */ INSERT INTO t -- FORMAT X\n (a) VALUES(1)", "/* VALUES */ INSERT INTO t -- FORMAT X\n (a) ", "Values", "(1)"},
		{"INSERT INTO FUNCTION file('a', 'CSV') VALUES (1)", "INSERT INTO FUNCTION file('a', 'CSV') ", "Values", " (1)"},
		{"INSERT INTO t VALUES", "INSERT INTO t ", "Values", ""},
	} {
		got := inspect(c.text)
		want := statement{insert: true, complete: true, head: c.head, format: c.format, dataAt: len(c.text) - len(c.data)}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(statement{})); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

func TestQueriesAreReadForFormatTotalsAndFiles(t *testing.T) {
	for text, want := range map[string]statement{
		"SELECT 1":                         {},
		"":                                 {},
		"SELECT 1 FORMAT JSON":             {format: "JSON"},
		"SELECT 1 format Native;":          {format: "Native"},
		"SELECT 'FORMAT JSON'":             {},
		"SELECT (SELECT 1 FORMAT x)":       {},
		"SELECT a GROUP BY a WITH TOTALS":  {whole: true},
		"SELECT $q$ TOTALS 'x $q$":         {},
		"SELECT 1 INTO OUTFILE 'x'":        {file: true},
		"INSERT INTO t FROM INFILE 'x'":    {file: true, complete: true},
		"INSERT INTO t SELECT 1":           {},
		"INSERT INTO t WITH 1 AS a SELECT": {},
		"SELECT 1 -- FORMAT JSON":          {},
		"SELECT 1 /* FORMAT JSON":          {},
		"SELECT 'it''s \\' FORMAT JSON'":   {},
	} {
		if diff := cmp.Diff(want, inspect(text), cmp.AllowUnexported(statement{})); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// FuzzInspect holds that no text breaks the reader, that head and data are
// parts of the text, and that what a cut text settles stays so.
func FuzzInspect(f *testing.F) {
	for _, text := range []string{"INSERT INTO t FORMAT CSV\n1", "SELECT '", "INSERT INTO t (", "$a$ $a$", "/*", "INSERT INTO a.b.c VALUES", "`\\", "INSERT INTO t FORMAT A;;\r\n\n"} {
		f.Add(text, 7)
	}
	f.Fuzz(func(t *testing.T, text string, cut int) {
		st := inspect(text)
		if !strings.HasPrefix(text, st.head) || st.dataAt < 0 || st.dataAt > len(text) {
			t.Fatalf("head %q, data at %d of %d", st.head, st.dataAt, len(text))
		}
		if cut < 0 || cut > len(text) {
			return
		}
		// What follows the format's name may be white space that belongs to it.
		part := inspect(text[:cut])
		if part.insert && part.complete && (part.head != st.head || part.format != st.format && part.format != "Values") {
			t.Fatalf("cut at %d settles %q %q, the whole text %q %q", cut, part.head, part.format, st.head, st.format)
		}
	})
}

func TestNamesAreQuoted(t *testing.T) {
	if got := quoteName("a`b\\c"); got != "`a\\`b\\\\c`" {
		t.Errorf("got %s", got)
	}
}

func TestExceptionTellsItsCode(t *testing.T) {
	for text, want := range map[string]int{
		"Code: 60. DB::Exception: no": 60,
		"something else":              codeUnknown,
		"Code: 99999999999999999999.": codeUnknown,
	} {
		if got := parseException(text); got.Code != want || !strings.HasPrefix(got.Text, "Code: ") {
			t.Errorf("%q: got %d %q", text, got.Code, got.Text)
		}
	}
}
