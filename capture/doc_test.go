package capture

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the tables in docs anew")

// sameAsDoc holds a page that a test makes against the one that is kept, or writes it.
func sameAsDoc(t *testing.T, path, page string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(kept), page); d != "" {
		t.Errorf("%s is not what is found; run with -update and read what changed (-kept +found):\n%s", path, d)
	}
}
