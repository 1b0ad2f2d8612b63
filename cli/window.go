package cli

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/store"
)

//go:embed newest.sql
var newestSQL string

// newestEvent returns the time of the newest event, and the zero time when there is none.
func newestEvent(ctx context.Context, db *store.DB) (newest time.Time, err error) {
	var row struct {
		Newest time.Time `ch:"newest"`
	}
	err = db.Each(ctx, newestSQL, nil, &row, func() error {
		if row.Newest.Unix() > 0 {
			newest = row.Newest
		}
		return nil
	})
	if err != nil {
		return newest, fmt.Errorf("look for the newest event: %w", err)
	}
	return newest, nil
}

// window is how far back the analyzer of this tooltrail looks; 0 is everything, or not known.
func (s *state) window() time.Duration { return time.Duration(s.WindowSeconds * float64(time.Second)) }

// tooOld says that the analyzer does not look at events as old as these; empty when it does.
func (s *state) tooOld(newest, now time.Time) string {
	back := s.window()
	if back <= 0 || newest.IsZero() || now.Sub(newest) <= back {
		return ""
	}
	return fmt.Sprintf("The analyzer that keeps findings looks back %s of event time, and the newest event is of %s. "+
		"To have everything looked at, start it with `tooltrail up --window 0`; `tooltrail report` looks at everything in any case.",
		saySpan(back), newest.UTC().Format("2006-01-02 15:04"))
}
