package cli

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/store"
)

func TestEventsOlderThanTheWindowAreTold(t *testing.T) {
	now := time.Date(2026, 3, 8, 12, 0, 0, 0, time.UTC)
	day1 := state{WindowSeconds: 86400}
	if text := day1.tooOld(now.Add(-25*time.Hour), now); !strings.Contains(text, "24h") || !strings.Contains(text, "--window 0") {
		t.Errorf("have %q", text)
	}
	for name, text := range map[string]string{
		"new events":     day1.tooOld(now.Add(-time.Hour), now),
		"no events":      day1.tooOld(time.Time{}, now),
		"an open window": (&state{}).tooOld(now.AddDate(-1, 0, 0), now),
	} {
		if text != "" {
			t.Errorf("%s: %q", name, text)
		}
	}
}

func TestAPortInUseIsSaidWithItsFlag(t *testing.T) {
	err := sayTaken("nats", fmt.Errorf("listen: %w", syscall.EADDRINUSE))
	if !errors.Is(err, syscall.EADDRINUSE) || !strings.Contains(err.Error(), "--nats 127.0.0.1:0") {
		t.Error(err)
	}
	if other := errors.New("no"); !errors.Is(sayTaken("nats", other), other) || sayTaken("nats", nil) != nil {
		t.Error("another error is changed")
	}
}

func TestADeadLetterIsFoundByTheStartOfItsID(t *testing.T) {
	all := []store.DeadLetter{{ID: uuid.MustParse("018f0000-0000-8000-8000-000000000001")}, {ID: uuid.MustParse("018f1111-0000-8000-8000-000000000002")}}
	if l, err := letterByPrefix(all, "018F1"); err != nil || l.ID != all[1].ID {
		t.Errorf("%v, %v", l, err)
	}
	for prefix, want := range map[string]string{"018f": "more than one", "9": "none", "": "none"} {
		if _, err := letterByPrefix(all, prefix); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", prefix, err)
		}
	}
}
