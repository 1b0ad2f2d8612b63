package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestJSONIsPrintedWithoutWhatCouldDeceiveATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"get_user":           `"get_user"`,
		"größe 查询":           `"größe 查询"`,
		"\u009b2J\x7f":       `"\u009b2J\u007f"`,
		"\x1b[2J":            `"\u001b[2J"`,
		"safe\u202etxt.exe":  `"safe\u202etxt.exe"`,
		"tag\U000e0041":      `"tag\udb40\udc41"`,
		"ok \U0001f600":      `"ok ` + "\U0001f600" + `"`,
		"a\ufeffb\u2028\xff": `"a\ufeffb\u2028` + `\ufffd"`,
	} {
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := NewSafeJSON(&out).Write(raw); err != nil || out.String() != want {
			t.Errorf("%q is %s, %v; want %s", in, out.String(), err, want)
		}
	}
}

func TestSafeJSONHasTheSameValuesHoweverItIsCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.String())).Draw(t, "values")
		raw, err := json.MarshalIndent(values, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := NewSafeJSON(&out)
		for left := raw; len(left) > 0; {
			n := rapid.IntRange(1, len(left)).Draw(t, "piece")
			if m, err := w.Write(left[:n]); err != nil || m != n {
				t.Fatal(m, err)
			}
			left = left[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if at := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
			t.Fatalf("at %d of %q", at, out.String())
		}
		var again map[string][]string
		if err := json.Unmarshal(out.Bytes(), &again); err != nil {
			t.Fatal(err)
		}
		if a, _ := json.Marshal(again); !bytes.Equal(a, must(json.Marshal(values))) {
			t.Fatalf("%s\nwant %s", a, raw)
		}
	})
}

func must(b []byte, _ error) []byte { return b }
