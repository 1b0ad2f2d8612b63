// Package e2e holds the tests that cross the folders: the whole path on real processes, crashes included, and the directions in
// which packages may import each other.
package e2e
