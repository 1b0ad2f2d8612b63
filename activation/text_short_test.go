package activation

import (
	"testing"

	"pgregory.net/rapid"
)

func TestATextReadInPartIsCutAsOneReadWhole(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "word", " ", "\n\t", "é", "\u0301", "\u0301\u0301\u0301\u0301\u0301", "\u200b", "\xff", "\x1b", "日本語", "."})
	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, p := range rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces") {
			text += p
		}
		limit := rapid.IntRange(-1, 60).Draw(t, "limit")
		if kept, _ := CutText(text, limit); shortText(text, limit) != kept {
			t.Errorf("%q at %d is %q, want %q", text, limit, shortText(text, limit), kept)
		}
	})
}
