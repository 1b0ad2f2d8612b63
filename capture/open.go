package capture

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// Options say how to read a file. The zero Options are usable.
type Options struct {
	// Format is a name of [FormatNames]; empty or "auto" chooses by content.
	Format string
	// ToolsFile is a JSON file with the list of tools that the conversations had, for formats that don't hold it.
	ToolsFile string
	// Strict ends the reading at the first problem.
	Strict bool
	// IncludeValues puts argument values into events; without it they hold shapes and digests only.
	IncludeValues bool
	// Digester makes the digests; its key must be the deployment's.
	Digester events.Digester
	// MaxLineBytes is the longest line that is read; 0 means [DefaultMaxLineBytes].
	MaxLineBytes int
	// Source names the agent in events whose file doesn't; empty means "tooltrail/capture".
	Source string
	// Context gives what the file doesn't say of its agent: agent_name, agent_version, environment, team, cohort.
	Context events.Context
	// Progress is told now and then, and at the end, how many of the file's bytes were read. The total is 0 where it is not known.
	Progress func(done, total int64)
	// Problem is told each problem.
	Problem func(Problem)
}

// ErrUnknownFormat is in the chain of the error for a file whose content no format recognises.
var ErrUnknownFormat = errors.New("format not recognised")

// Summary is what reading a file came to.
type Summary struct {
	Format string
	// Lines counts lines, blank ones too.
	Lines int
	// Problems counts what could not be read.
	Problems int
	// Skipped counts lines that say nothing of interest, by the type that the file gives them.
	Skipped map[string]int
	// Unfinished counts calls that were left out because the file has no result of theirs.
	Unfinished int
	// Events counts events by kind.
	Events map[events.Kind]int
}

// Reader reads one file. It is for one goroutine.
type Reader struct {
	format Format
	src    *Source
	close  func() error
	meter  *meter
}

// Open opens a file; the path "-" is standard input. The caller closes the Reader.
func Open(path string, opt Options) (*Reader, error) {
	if path == "-" {
		return OpenReader("stdin", os.Stdin, 0, opt)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open input: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = &fs.PathError{Op: "read", Path: path, Err: errors.New("is a directory; name files: " + filepath.Join(path, "*.jsonl"))}
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("open input: %w", err)
	}
	r, err := OpenReader(path, f, info.Size(), opt)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	r.src.ModTime = info.ModTime()
	r.close = f.Close
	return r, nil
}

// OpenReader reads from in, which the caller closes, under a name for problems. Size is its length in bytes for
// [Options.Progress], 0 where it is not known.
func OpenReader(name string, in io.Reader, size int64, opt Options) (*Reader, error) {
	if opt.Source == "" {
		opt.Source = "tooltrail/capture"
	}
	m := &meter{r: in, total: size, tell: opt.Progress}
	plain, err := unzip(m)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	format, err := choose(plain, opt.Format)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", name, err)
	}
	src := &Source{Name: name, Options: opt, r: plain, lines: newLines(plain, opt.MaxLineBytes)}
	return &Reader{format: format, src: src, meter: m, close: func() error { return nil }}, nil
}

// unzip returns the bytes of r, decompressed where it starts as gzip does, with room to peek at the head.
func unzip(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, HeadBytes)
	magic, _ := b.Peek(2)
	if len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return bufio.NewReaderSize(z, HeadBytes), nil
}

// choose finds the format by name, or by content.
func choose(b *bufio.Reader, name string) (Format, error) {
	if name != "" && name != FormatAuto {
		return FormatByName(name)
	}
	head, err := b.Peek(HeadBytes)
	if err != nil && err != io.EOF {
		return Format{}, fmt.Errorf("read the head: %w", err)
	}
	if f, ok := Detect(head); ok {
		return f, nil
	}
	return Format{}, fmt.Errorf("%w; name it with --format, one of %v", unknownHead(head), FormatNames()[1:])
}

// Format is the name of the format that was chosen.
func (r *Reader) Format() string { return r.format.Name }

// Read streams all events to emit and says what it came to, also when it ends early. It can be called once.
func (r *Reader) Read(ctx context.Context, emit Emit) (Summary, error) {
	sum := Summary{Format: r.format.Name, Events: map[events.Kind]int{}}
	err := r.format.Read(ctx, r.src, func(e *events.Event) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		sum.Events[e.Kind()]++
		return emit(e)
	})
	r.meter.end()
	sum.Lines, sum.Problems, sum.Skipped, sum.Unfinished = r.src.lines.Number(), r.src.problems, r.src.skipped, r.src.unfinished
	if err != nil {
		return sum, fmt.Errorf("read %s: %w", r.src.Name, err)
	}
	return sum, nil
}

// Close closes the file.
func (r *Reader) Close() error { return r.close() }

// meter counts bytes for progress.
type meter struct {
	r           io.Reader
	done, total int64
	told        time.Time
	tell        func(done, total int64)
}

// tellEvery is how often progress is told at most.
const tellEvery = 100 * time.Millisecond

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.done += int64(n)
	if m.tell != nil && time.Since(m.told) >= tellEvery {
		m.told = time.Now()
		m.tell(m.done, m.total)
	}
	return n, err
}

func (m *meter) end() {
	if m.tell != nil {
		m.tell(m.done, m.total)
	}
}

// merge fills what is empty in c from the options' context.
func merge(c *events.Context, from events.Context) {
	for _, p := range []struct {
		to   *string
		from string
	}{
		{&c.AgentName, from.AgentName},
		{&c.AgentVersion, from.AgentVersion},
		{&c.Environment, from.Environment},
		{&c.Team, from.Team},
		{&c.Cohort, from.Cohort},
	} {
		if *p.to == "" {
			*p.to = p.from
		}
	}
}
