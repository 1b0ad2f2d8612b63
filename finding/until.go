package finding

import (
	"fmt"
	"time"
)

// untilLayouts are the ways to write when a mute ends.
var untilLayouts = []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04", time.DateOnly}

// ParseUntil reads when a mute ends: a date, which is its first moment, or a time. Without a zone it is UTC.
func ParseUntil(text string) (time.Time, error) {
	for _, layout := range untilLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q: want a date as 2026-12-24, or a time as 2026-12-24T08:00:00Z", text)
}
