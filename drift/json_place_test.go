package drift_test

import (
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/drift"
)

func TestTextThatIsNoJSONIsToldWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"{nonsense":                            "read value 1: not JSON at line 1, column 2",
		"{\"name\":\"a\"}\n{\"name\":\n  tru}": "read value 2: not JSON at line 3, column 6",
		"[{\"name\":\"a\"},\n":                 "read value 1: not JSON at line 2, column 1, where it ends too early",
		"hello":                                "read value 1: not JSON at line 1, column 1",
		"":                                     "read value 1: not JSON at line 1, column 1, where it ends too early",
	} {
		_, err := drift.ReadReleases([]byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: have %v, want %s", text, err, want)
		}
	}
}
