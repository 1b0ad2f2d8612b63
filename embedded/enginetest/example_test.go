package enginetest_test

import (
	"testing"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
)

func ExampleDatabase() {
	_ = func(t *testing.T) {
		addr, database := enginetest.Database(t)
		enginetest.Exec(t, addr, "CREATE TABLE "+database+".t (a UInt8) ENGINE = Memory")
	}
}
