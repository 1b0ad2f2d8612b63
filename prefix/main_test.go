package prefix_test

import (
	"testing"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }
