package activation

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestANameInAnEventStaysAsItIsWhenItIsMadeAgain(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "\xff", "é", "\U0001F600", "...", "\xe2\x82", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\xff\xfe"})
	rapid.Check(t, func(t *rapid.T) {
		name := ""
		for _, p := range rapid.SliceOfN(piece, 0, 400).Draw(t, "pieces") {
			name += p
		}
		once := EventName(name)
		if again := EventName(once); again != once {
			t.Errorf("%q becomes %q and then %q", name, once, again)
		}
		if !utf8.ValidString(once) || len(once) > maxEventName+len(nameMark) {
			t.Errorf("%q is not fit", once)
		}
		if len(name) <= maxEventName && utf8.ValidString(name) && once != name {
			t.Errorf("%q is changed to %q", name, once)
		}
	})
}
