package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/user"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/pflag"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/stream"
)

// buckets are what people change of a running tooltrail: the documents of the registry and the switches of the breaker.
type buckets struct {
	js       jetstream.JetStream
	registry *stream.Bucket
	breaker  *stream.Bucket
}

// withBuckets connects to the NATS of the running tooltrail for fn.
func (p *program) withBuckets(ctx context.Context, fn func(b *buckets) error) (err error) {
	log, err := p.logger(slog.LevelError)
	if err != nil {
		return err
	}
	s, err := p.runningNATS()
	if err != nil {
		return err
	}
	var stops stack
	defer func() { err = errors.Join(err, stops.stop()) }()
	back, err := p.set.dialStream(ctx, &stops, s.NATS, log)
	if err != nil {
		return err
	}
	err = fn(&buckets{back.js, stream.NewBucket(back.js, stream.RegistryBucket), stream.NewBucket(back.js, stream.BreakerBucket)})
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("%w: has a tooltrail run on the NATS at %s?", err, s.NATS)
	}
	return err
}

// keyOf is the key of a tool in a bucket; more names are an agent's.
func keyOf(k drift.Key, more ...string) (string, error) {
	return stream.Key(append([]string{k.Server, k.Tool}, more...)...)
}

// toolsIn lists the tools that a bucket has keys of, each once.
func toolsIn(ctx context.Context, b *stream.Bucket) ([]drift.Key, error) {
	keys, err := b.Keys(ctx)
	if err != nil {
		return nil, err
	}
	var out []drift.Key
	seen := map[drift.Key]bool{}
	for _, key := range keys {
		names, ok := stream.SplitKey(key)
		if !ok || len(names) < 2 || len(names) > 3 {
			continue // not a tool's
		}
		if k := (drift.Key{Server: names[0], Tool: names[1]}); !seen[k] {
			seen[k] = true
			out = append(out, k)
		}
	}
	return out, nil
}

// editOptions say who changes something and why.
type editOptions struct{ by, reason string }

func (o *editOptions) flags(fs *pflag.FlagSet) {
	fs.StringVar(&o.reason, "reason", "", "why, for the audit trail")
	fs.StringVar(&o.by, "by", "", "who changes it, for the audit trail (default the user's name)")
}

// maxReason and maxBy are how long, in bytes, a reason and a name may be: a client shows them to a model.
const (
	maxReason = 500
	maxBy     = 100
)

// edit is what the audit trail keeps.
func (p *program) edit(o editOptions) (drift.Edit, error) {
	by := cmp.Or(o.by, p.userName())
	if err := cmp.Or(checkLine("reason", o.reason, maxReason), checkLine("by", by, maxBy)); err != nil {
		return drift.Edit{}, err
	}
	return drift.Edit{At: time.Now().UTC(), By: by, Reason: o.reason}, nil
}

// checkLine refuses a text that is not one readable line.
func checkLine(flag, text string, limit int) error {
	if len(text) > limit {
		return usageError{fmt.Errorf("--%s: %d bytes, want %d at most", flag, len(text), limit)}
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return usageError{fmt.Errorf("--%s: want one line of text", flag)}
	}
	return nil
}

// userName is who runs the command.
func (p *program) userName() string {
	name := cmp.Or(p.Getenv("USER"), p.Getenv("LOGNAME"))
	if name == "" {
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
	}
	return cmp.Or(name, "unknown")
}
