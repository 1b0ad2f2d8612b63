package prefix

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

// scanned says whether the scanner takes a text as one JSON value.
func scanned(b []byte) error {
	s := scanner{body: b}
	if err := s.skip(); err != nil {
		return err
	}
	return s.end()
}

// taken says whether jsontext does, where names may repeat and text need not be UTF-8.
func taken(b []byte) bool {
	return jsontext.Value(b).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

var notQuiteJSON = []string{
	``, ` `, `{`, `}`, `{}`, `[]`, `[1,]`, `{"a":1,}`, `{"a" 1}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `[1 2]`, `{1:2}`, `[}`, `{]`, `{"a"`, `{"a":`, `{"a":1`,
	`0`, `-0`, `00`, `01`, `-`, `+1`, `1.`, `.1`, `1.0`, `1e`, `1e+`, `1E-5`, `1e5.5`, `0x1`, `1.5e300`, `-a`, `NaN`,
	`true`, `tru`, `truex`, `nul`, `null`, `falsy`, `false`, `"`, `"a`, `"\`, `"\"`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\u12G4"`, `"\uD800"`, `"\uAbCd"`, `"\/"`, `"\b\f\n\r\t\""`,
	"\"\t\"", "\"\x00\"", "\"\x1f\"", "\"\x7f\"", "\"\xff\"", "\xef\xbb\xbf{}", "{}\x00", "\x0b{}", "{}\n\r\t ", "[1]x", `{"a":1,"a":1}`, "{\"\xff\":1}",
	`"0123456789abcdef"`, `"0123456789abcde\"f"`, "\"0123456789abcdef\x01\"", `"0123456789abcdef0123456789\n0123456789"`, `"0123456789abcdef0123456789\q0123456789"`,
}

func TestTheScannerTakesWhatJSONTextTakes(t *testing.T) {
	for _, s := range notQuiteJSON {
		for _, c := range []string{s, " " + s, `{"a":` + s + `}`, `[` + s + `,` + s + `]`, strings.Repeat(" ", 17) + s} {
			if err := scanned([]byte(c)); (err == nil) != taken([]byte(c)) {
				t.Errorf("%q: %v, jsontext %t", c, err, taken([]byte(c)))
			}
		}
	}
}

func TestEveryByteOfATextIsLookedAt(t *testing.T) {
	for size := range 40 {
		for at := range size {
			for _, c := range []byte{0, 0x1f, ' ', '!', '"', '#', '[', '\\', ']', 0x7f, 0x80, 0x9f, 0xa0, 0xa2, 0xdc, 0xff} {
				text := append(append([]byte{'"'}, bytes.Repeat([]byte{0xa2}, size)...), '"')
				text[1+at] = c
				if err := scanned(text); (err == nil) != taken(text) {
					t.Fatalf("%q: %v", text, err)
				}
			}
		}
	}
}

func TestTextEndsAtTheSamePlaceHoweverItIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens := []string{"a", "plain text of some length, é", `\n`, `\t`, `\\`, `\"`, `\u12aB`, "u0000", "bfnrt/"}
		tokens = append(tokens, []string{`\x`, `"`, `\u12`, "\x01", "\xff"}[:rapid.IntRange(0, 5).Draw(t, "odd")]...)
		text := []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom(tokens), 0, 100).Draw(t, "text"), ""))
		end, ok := stringEnd(text, 0)
		for _, read := range []func([]byte, int) (int, bool){longText, plainText, textTail} {
			if e, o := read(text, 0); o != ok || e != end {
				t.Fatalf("%q: ends at %d %v and at %d %v", text, end, ok, e, o)
			}
		}
	})
}

// textTail reads a text byte by byte.
func textTail(b []byte, i int) (end int, ok bool) {
	for i < len(b) {
		if i, ok = specialByte(b, i); ok || i < 0 {
			return max(i, ^i), ok
		}
	}
	return len(b), false
}

func TestWhatIsTooDeepIsRefused(t *testing.T) {
	for _, n := range []int{maxDepth - 1, maxDepth, maxDepth + 1, 20 * maxDepth} {
		for _, pair := range [][2]string{{"[", "]"}, {`{"a":`, "}"}} {
			text := []byte(strings.Repeat(pair[0], n) + "1" + strings.Repeat(pair[1], n))
			err := scanned(text)
			if (err == nil) != (n <= maxDepth) || (err == nil) != taken(text) {
				t.Errorf("%d levels of %s: %v", n, pair[0], err)
			}
			if err != nil && !strings.Contains(err.Error(), "10000 levels") {
				t.Error(err)
			}
		}
	}
}

func TestAnErrorSaysTheByte(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":x}`: "not JSON at byte 5", `{"a":"b`: "not JSON: cut short at byte 7", `{"a":1}}`: "not JSON at byte 7", `["\x"]`: "not JSON at byte 3",
	} {
		if err := scanned([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	plain := []byte(`"` + strings.Repeat("abcdefghij", 100_000) + `"`)
	code := []byte(`"` + strings.Repeat(`if err != nil {\n\t\treturn fmt.Errorf(\"read body: %w\", err)\n\t}\n`, 15_000) + `"`)
	for name, text := range map[string][]byte{"plain": plain, "code": code} {
		b.Run(name+"/sha256", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				sha256.Sum256(text)
			}
		})
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if scanned(text) != nil {
					b.Fatal("refused")
				}
			}
		})
	}
}
