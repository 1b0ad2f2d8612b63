// Package splitfuzz fuzzes what package prefix does with the bytes of request bodies, apart from the tests that start an engine.
package splitfuzz
