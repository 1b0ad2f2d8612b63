package embedded_test

import (
	"os"
	"testing"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
)

// TestMain also is the program that some tests start and kill.
func TestMain(m *testing.M) {
	if serve := os.Getenv("TOOLTRAIL_TEST_SERVE"); serve != "" {
		serveForTest(serve)
		return
	}
	enginetest.Main(m)
}
