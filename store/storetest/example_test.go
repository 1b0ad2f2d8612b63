package storetest_test

import (
	"testing"

	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/store/storetest"
)

func ExampleOpen() {
	_ = func(t *testing.T, all []*events.Event) {
		addr, database := enginetest.Database(t)
		db := storetest.Open(t, addr, database)
		storetest.Insert(t, db, all)
	}
}
