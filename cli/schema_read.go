package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/drift"
)

// maxSchemaFile is the longest file of schemas that is read, in bytes.
const maxSchemaFile = 256 << 20

// byteOrderMark is what some editors put before the text of a file.
const byteOrderMark = "\uFEFF"

// readWhole reads a file, without a byte order mark.
func readWhole(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open schemas: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxSchemaFile+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("read schemas of %s: %w", path, err)
	}
	if len(raw) > maxSchemaFile {
		return nil, fmt.Errorf("read schemas of %s: longer than %d bytes", path, maxSchemaFile)
	}
	return bytes.TrimPrefix(raw, []byte(byteOrderMark)), nil
}

// readReleases reads all releases of a file, or the files of a directory as one list.
func readReleases(path string) ([]drift.Release, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open schemas: %w", err)
	}
	if info.IsDir() {
		return readDirectory(path)
	}
	raw, err := readWhole(path)
	if err != nil {
		return nil, err
	}
	releases, err := drift.ReadReleases(raw)
	if err != nil {
		return nil, fmt.Errorf("read schemas of %s: %w", path, err)
	}
	return releases, nil
}

func readDirectory(dir string) ([]drift.Release, error) {
	files, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.json"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("read schemas of %s: no .json files", dir)
	}
	slices.Sort(files)
	var all drift.Release
	for _, f := range files {
		releases, err := readReleases(f)
		if err != nil {
			return nil, err
		}
		for i := range releases {
			all.Tools = append(all.Tools, releases[i].Tools...)
			all.Name = releases[i].Name
		}
	}
	return []drift.Release{all}, nil
}

// escapeGlob keeps a directory's name from being read as a pattern.
func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}

// readRelease reads one release: the last of a file, or the one named after an @.
func readRelease(path string) (*drift.Release, error) {
	name := ""
	if i := strings.LastIndexByte(path, '@'); i > 0 {
		if _, err := os.Stat(path); err != nil {
			path, name = path[:i], path[i+1:]
		}
	}
	releases, err := readReleases(path)
	if err != nil {
		return nil, err
	}
	for i := len(releases) - 1; i >= 0; i-- {
		if name == "" || releases[i].Name == name {
			return &releases[i], nil
		}
	}
	return nil, fmt.Errorf("read schemas of %s: no release %q", path, name)
}
