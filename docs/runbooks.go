// Package docs holds those of the documents that the program shows.
package docs

import (
	"embed"
	"io/fs"
)

//go:embed alerts/*.md
var alerts embed.FS

// Runbooks has a file NAME.md for each alert.
func Runbooks() fs.FS {
	files, err := fs.Sub(alerts, "alerts")
	if err != nil {
		panic(err) // the folder belongs to the program
	}
	return files
}
