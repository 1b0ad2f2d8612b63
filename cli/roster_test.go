package cli_test

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestRosterScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "roster"),
		RequireExplicitExec: true,
		UpdateScripts:       *update,
	})
}
