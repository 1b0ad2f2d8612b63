package embedded

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"
)

// read runs a statement and sends its result as it comes. When the client goes
// away or takes no more, or the engine is being closed, the statement is cancelled.
func (e *Engine) read(ctx context.Context, out *reply, c *conn, q *request, st statement, text string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer e.killWhenDone(ctx, q.mark)()
	out.format(cmp.Or(st.format, q.format))
	s, err := c.start(text, q.format, q.params, canStream(st, q))
	if err != nil {
		return err
	}
	defer s.close()
	for err == nil {
		err = errors.Join(s.next(out), ctx.Err())
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	if e := new(Exception); !errors.As(err, &e) {
		cancel() // closing alone would let the engine work on to the end
	}
	return err
}

// killWhenDone cancels the statement once ctx ends. It asks again until the
// returned function is called: the statement may not have been running yet.
func (e *Engine) killWhenDone(ctx context.Context, mark string) func() {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-end:
			return
		case <-ctx.Done():
		}
		again := time.NewTicker(200 * time.Millisecond)
		defer again.Stop()
		for {
			if err := e.admin.kill(mark); err != nil {
				e.log.Warn("cancel statement", slog.Any("error", err))
			}
			select {
			case <-end:
				return
			case <-again.C:
			}
		}
	}()
	return func() { close(end); <-ended }
}

// canStream tells whether a result can be fetched in parts. The engine begins
// its format anew with each part, so formats that have something before,
// between or behind their rows, and results with totals or extremes, come
// right only as a whole; the engine holds such a result in the query's memory
// before any of it is sent, so MaxQueryMemory bounds it.
func canStream(st statement, q *request) bool {
	if st.whole || truthy(valueOf(q.settings, "extremes")) || truthy(valueOf(q.settings, "output_format_json_array_of_rows")) {
		return false
	}
	return rowFormats[strings.ToLower(cmp.Or(st.format, q.format))]
}

// rowFormats are the formats that are their rows and nothing else.
var rowFormats = map[string]bool{
	"native": true, "tabseparated": true, "tsv": true, "tabseparatedraw": true, "tsvraw": true, "csv": true,
	"rowbinary": true, "jsoneachrow": true, "jsonlines": true, "ndjson": true, "jsonstringseachrow": true,
	"jsoncompacteachrow": true, "jsoncompactstringseachrow": true, "lineasstring": true, "null": true,
}

func valueOf(settings []setting, name string) string {
	for _, s := range settings {
		if s.Name == name {
			return s.Value
		}
	}
	return ""
}
