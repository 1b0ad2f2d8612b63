package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"github.com/tooltrail/tooltrail/cli/report"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/store"
)

func (p *program) deadLettersCommand() *cobra.Command {
	c := group(&cobra.Command{
		Use:   "deadletters",
		Short: "List, show and replay what could not be stored",
		Long:  `A dead letter is a line that was no valid event: refused, kept with the reason, and out of the way of what came after it.`,
	})
	p.set.runningFlags(c.PersistentFlags())
	c.AddCommand(p.deadLettersList(), p.deadLettersShow(), p.deadLettersReplay())
	return c
}

func (p *program) deadLettersList() *cobra.Command {
	var f store.DeadLetterFilter
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List dead letters, the newest first",
		Args:  argCount(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkLimit(f.Limit); err != nil {
				return err
			}
			return p.withStore(c.Context(), func(db *store.DB) error {
				asked := f
				asked.Limit++
				all, err := db.DeadLetters(c.Context(), asked)
				if err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(letters(all[:min(len(all), f.Limit)]))
				}
				return p.listLetters(all, f.Limit)
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, payloads too")
	c.Flags().StringVar(&f.Subject, "subject", "", "list only those that came on this subject")
	c.Flags().StringVar(&f.Reason, "reason", "", "list only those refused for this reason")
	c.Flags().IntVar(&f.Limit, "limit", 50, "list at most this `number`")
	return c
}

func (p *program) deadLettersShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show one dead letter with what was sent; the start of an id will do",
		Args:  argCount(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return p.withStore(c.Context(), func(db *store.DB) error {
				l, err := findLetter(c.Context(), db, args[0])
				if err != nil {
					return err
				}
				return p.showLetter(l)
			})
		},
	}
}

func (p *program) deadLettersReplay() *cobra.Command {
	var all bool
	c := &cobra.Command{
		Use:   "replay [ID...]",
		Short: "Send dead letters again that are valid events by now",
		Long: `Send dead letters again on the subject that they came on, after an upgrade that understands them. One that still is no valid
event is left alone, and its reason is said. An event that is stored already counts once.`,
		RunE: func(c *cobra.Command, ids []string) error {
			if all == (len(ids) > 0) {
				return usageError{errors.New("replay takes ids, or --all")}
			}
			return p.replay(c.Context(), ids)
		},
	}
	c.Flags().BoolVar(&all, "all", false, "all of them")
	return c
}

// letter is a dead letter as JSON.
type letter struct {
	ID      string `json:"id"`
	Time    string `json:"time"`
	Subject string `json:"subject"`
	Seq     uint64 `json:"stream_seq"`
	Line    uint64 `json:"line"`
	Path    string `json:"path"`
	Reason  string `json:"reason"`
	Payload string `json:"payload"`
}

func letters(all []store.DeadLetter) []letter {
	out := make([]letter, len(all))
	for i := range all {
		l := &all[i]
		out[i] = letter{l.ID.String(), l.Time.UTC().Format("2006-01-02T15:04:05Z"), l.Subject, l.StreamSeq, l.StreamPos, l.Path, l.Reason, l.Payload}
	}
	return out
}

func (p *program) listLetters(all []store.DeadLetter, limit int) error {
	more := len(all) > limit
	all = all[:min(len(all), limit)]
	rows := make([]report.Letter, len(all))
	for i, l := range letters(all) {
		rows[i] = report.Letter{ID: l.ID, Time: all[i].Time, Subject: l.Subject, Path: l.Path, Reason: l.Reason}
	}
	if err := report.LetterList(p.Out, rows, report.StyleOf(p.Out, p.Getenv)); err != nil {
		return fmt.Errorf("print dead letters: %w", err)
	}
	return p.sayMore(more, limit)
}

func (p *program) showLetter(l *store.DeadLetter) error {
	j := letters([]store.DeadLetter{*l})[0]
	_, err := fmt.Fprintf(p.Out, "id       %s\ntime     %s\nsubject  %s\nplace    message %d, line %d\npath     %s\nreason   %s\n\n%s\n",
		j.ID, j.Time, report.Safe(j.Subject), j.Seq, j.Line, report.Safe(j.Path), report.Safe(j.Reason), report.Safe(j.Payload))
	if err != nil {
		return fmt.Errorf("print dead letter: %w", err)
	}
	return nil
}

func findLetter(ctx context.Context, db *store.DB, id string) (*store.DeadLetter, error) {
	found, err := db.DeadLetters(ctx, store.DeadLetterFilter{ID: id, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		return &found[0], nil
	}
	all, err := db.DeadLetters(ctx, store.DeadLetterFilter{Limit: maxReplay})
	if err != nil {
		return nil, err
	}
	return letterByPrefix(all, id)
}

// letterByPrefix finds the only dead letter whose id starts so.
func letterByPrefix(all []store.DeadLetter, prefix string) (found *store.DeadLetter, err error) {
	for i := range all {
		if prefix == "" || !strings.HasPrefix(all[i].ID.String(), strings.ToLower(prefix)) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("find dead letter: more than one id starts with %q", prefix)
		}
		found = &all[i]
	}
	if found == nil {
		return nil, fmt.Errorf("find dead letter: there is none with the id %q", prefix)
	}
	return found, nil
}

// replay sends the dead letters of ids, or all of them.
func (p *program) replay(ctx context.Context, ids []string) (err error) {
	log, err := p.logger(slog.LevelError)
	if err != nil {
		return err
	}
	s, err := p.running()
	if err != nil {
		return err
	}
	var stops stack
	defer func() { err = errors.Join(err, stops.stop()) }()
	b, err := p.set.dialStream(ctx, &stops, s.NATS, log)
	if err != nil {
		return err
	}
	return p.withStore(ctx, func(db *store.DB) error {
		found, err := chooseLetters(ctx, db, ids)
		if err != nil {
			return err
		}
		return p.replayLetters(ctx, b.js, found)
	})
}

// maxReplay is how many dead letters --all sends.
const maxReplay = 100_000

func chooseLetters(ctx context.Context, db *store.DB, ids []string) ([]store.DeadLetter, error) {
	if len(ids) == 0 {
		return db.DeadLetters(ctx, store.DeadLetterFilter{Limit: maxReplay})
	}
	var all []store.DeadLetter
	for _, id := range ids {
		l, err := findLetter(ctx, db, id)
		if err != nil {
			return nil, err
		}
		all = append(all, *l)
	}
	return all, nil
}

func (p *program) replayLetters(ctx context.Context, js jetstream.JetStream, all []store.DeadLetter) error {
	sent := 0
	for i := range all {
		l := &all[i]
		if err := checkLetter(l); err != nil {
			_, _ = fmt.Fprintf(p.Err, "%s: still no valid event: %s\n", l.ID, report.Safe(err.Error()))
			continue
		}
		msg := &nats.Msg{Subject: l.Subject, Data: []byte(l.Payload), Header: nats.Header{
			jetstream.MsgIDHeader: {"replay-" + l.ID.String()}, events.HistoryHeader: {"1"},
		}}
		if _, err := js.PublishMsg(ctx, msg); err != nil {
			return fmt.Errorf("replay %s: %w", l.ID, err)
		}
		sent++
	}
	_, err := fmt.Fprintf(p.Out, "%s of %s sent again\n", report.Count(int64(sent)), report.Plural(int64(len(all)), "dead letter"))
	if err == nil && sent == 0 && len(all) > 0 {
		err = errNoneSent
	}
	return err
}

// errNoneSent says that a replay did nothing.
var errNoneSent = errors.New("no dead letter is a valid event by now")

// checkLetter returns why a dead letter is no valid event of its subject.
func checkLetter(l *store.DeadLetter) error {
	_, kind, err := events.ParseSubject(l.Subject)
	if err != nil {
		return err
	}
	_, err = events.DecodeKind(kind, []byte(l.Payload))
	return err
}
