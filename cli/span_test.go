package cli

import (
	"testing"
	"time"
)

func TestSpansHaveAUnitAndDaysAreOne(t *testing.T) {
	for s, want := range map[string]time.Duration{"5m": 5 * time.Minute, "24h": day, "7d": 7 * day, "1.5d": 36 * time.Hour, "0": 0, "1h30m": 90 * time.Minute} {
		if d, err := parseSpan(s); err != nil || d != want {
			t.Errorf("%s: %v, %v", s, d, err)
		}
	}
	for _, s := range []string{"7", "", "d", "-1h", "-1d", "yesterday", "1e300d", "NaNd"} {
		if d, err := parseSpan(s); err == nil {
			t.Errorf("%q is taken for %v", s, d)
		}
	}
}

func TestSpansAreSaidShortlyAndAsTheyAreRead(t *testing.T) {
	for d, want := range map[time.Duration]string{day: "24h", 7 * day: "7d", time.Minute: "1m", 90 * time.Minute: "1h30m", 1500 * time.Millisecond: "1.5s", 0: "0s"} {
		if got := saySpan(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
		if again, err := parseSpan(saySpan(d)); err != nil || again != d {
			t.Errorf("%v is read back as %v, %v", d, again, err)
		}
	}
}
