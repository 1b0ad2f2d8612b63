package finding_test

import (
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/finding"
)

func TestAMutesEndIsADateOrATime(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-12-24":                time.Date(2026, 12, 24, 0, 0, 0, 0, time.UTC),
		"2026-12-24T08:30":          time.Date(2026, 12, 24, 8, 30, 0, 0, time.UTC),
		"2026-12-24 08:30:01":       time.Date(2026, 12, 24, 8, 30, 1, 0, time.UTC),
		"2026-12-24T08:30:00+02:00": time.Date(2026, 12, 24, 6, 30, 0, 0, time.UTC),
		"24.12.2026":                {},
		"2026-13-01":                {},
		"":                          {},
	} {
		got, err := finding.ParseUntil(text)
		if !got.Equal(want) || (err != nil) != want.IsZero() {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
