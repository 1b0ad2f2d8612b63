// Command generate writes Tooltrail's sample: eight weeks of an agent with a roster of 185 tools, and of a small one beside it, in which every
// trouble that the design names happens at least once. The seed is fixed, so the files are the same every time.
//
//	go run ./sample/generate -out sample
//
// It writes sample.ndjson.gz, the events, and injected.json, the list of what was put in. The list is kept by the generator
// as it writes; no detector has a part in it.
package main

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"

	"github.com/tooltrail/tooltrail/events"
)

func main() {
	out := flag.String("out", "sample", "folder to write to")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(out string) error {
	r := newRecorder()
	rosters(r)
	ordinary(r)
	troubles(r)
	r.heartbeats()
	releases(r)
	r.closeLoads()
	if err := writeFile(filepath.Join(out, "sample.ndjson.gz"), r.writeEvents); err != nil {
		return err
	}
	return writeFile(filepath.Join(out, "injected.json"), r.writeInjected)
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("create file: %w", err)
	}
	if err := write(f); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("close file: %w", err)
	}
	return nil
}

// writeEvents writes the events in the order of their times, compressed.
func (r *recorder) writeEvents(w io.Writer) error {
	sort.SliceStable(r.events, func(i, j int) bool { return r.events[i].Time.Before(r.events[j].Time) })
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	var line []byte
	for _, e := range r.events {
		if line, err = events.AppendEvent(line[:0], e); err != nil {
			return err
		}
		if _, err = z.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return z.Close()
}

func (r *recorder) writeInjected(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r.injected)
}
