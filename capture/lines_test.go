package capture

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// numbered is a line with its number.
type numbered struct {
	N    int
	Line string
}

func allLines(t *testing.T, r io.Reader, limit int) (all []numbered, tooLong []int) {
	t.Helper()
	l := newLines(r, limit)
	for {
		line, err := l.Next()
		switch {
		case errors.Is(err, io.EOF):
			return all, tooLong
		case errors.Is(err, ErrLineTooLong):
			tooLong = append(tooLong, l.Number())
		case err != nil:
			t.Fatal(err)
		default:
			all = append(all, numbered{l.Number(), string(line)})
		}
	}
}

func TestLinesAreNumberedAndBlankOnesLeftOut(t *testing.T) {
	got, _ := allLines(t, strings.NewReader("\xef\xbb\xbfa\r\n\n  b \n\t\nc"), 0)
	if d := cmp.Diff([]numbered{{1, "a"}, {3, "b"}, {5, "c"}}, got); d != "" {
		t.Error(d)
	}
}

func TestALineTooLongIsSkippedAndTheNextIsRead(t *testing.T) {
	long := strings.Repeat("x", 300_000)
	got, tooLong := allLines(t, strings.NewReader("a\n"+long+"\nb\n"+long), 1000)
	if d := cmp.Diff([]numbered{{1, "a"}, {3, "b"}}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{2, 4}, tooLong); d != "" {
		t.Error(d)
	}
}

func TestALineOfExactlyTheLimitIsRead(t *testing.T) {
	got, tooLong := allLines(t, strings.NewReader(strings.Repeat("y", 70_000)+"\n"), 70_000)
	if len(got) != 1 || len(tooLong) != 0 {
		t.Errorf("%d lines, too long %v", len(got), tooLong)
	}
}

func TestABrokenReaderEndsTheLines(t *testing.T) {
	l := newLines(io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(errors.New("disk"))), 0)
	if line, err := l.Next(); string(line) != "a" || err != nil {
		t.Fatal(string(line), err)
	}
	if _, err := l.Next(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("error %v", err)
	}
}

func TestLinesAreThoseOfTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.StringMatching(`[a-z]{0,200}`)).Draw(t, "lines")
		var want []numbered
		for i, l := range lines {
			if l != "" {
				want = append(want, numbered{i + 1, l})
			}
		}
		r := iotest.OneByteReader(strings.NewReader(strings.Join(lines, "\n")))
		var got []numbered
		l := newLines(r, 200)
		for {
			line, err := l.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, numbered{l.Number(), string(line)})
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
	})
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\n\r\n"), 3)
	f.Add([]byte("\xef\xbb\xbf\n"), 1)
	f.Fuzz(func(t *testing.T, text []byte, limit int) {
		limit = 1 + abs(limit)%100_000
		l := newLines(bytes.NewReader(text), limit)
		for {
			line, err := l.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil && (len(line) == 0 || len(line) > limit+1 || bytes.IndexByte(line, '\n') >= 0) {
				t.Fatalf("line %q", line)
			}
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
