package prefix

import (
	"testing"

	"pgregory.net/rapid"
)

func TestRunsHaveEnoughAroundAllThatIsNewAndDoNotMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := crowd{before: []int64{0}}
		at := int64(0)
		for range rapid.IntRange(0, 40).Draw(t, "crowd") {
			at += rapid.Int64Range(1, 30).Draw(t, "step")
			c.minutes, c.before = append(c.minutes, at), append(c.before, c.before[len(c.before)-1]+rapid.Int64Range(1, 5).Draw(t, "requests"))
		}
		var fresh []int64
		for i := range at + 20 {
			if rapid.IntRange(0, 20).Draw(t, "fresh") == 0 {
				fresh = append(fresh, i)
			}
		}
		half := rapid.IntRange(1, 20).Draw(t, "half")
		all := c.around(fresh, half)
		in := func(lo, hi int64) int64 { return c.before[c.place(hi+1)] - c.before[c.place(lo)] }
		for i, r := range all {
			if i > 0 && r.from <= all[i-1].to {
				t.Fatalf("%v and %v meet", all[i-1], r)
			}
			if r.before != c.before[c.place(r.from/minute)] {
				t.Fatalf("%v has %d before it", r, c.before[c.place(r.from/minute)])
			}
		}
		for _, m := range fresh {
			found := false
			for _, r := range all {
				if r.from > m*minute || r.to < m*minute {
					continue
				}
				found = true
				ahead, behind := in(r.from/minute, m-1), in(m+1, r.to/minute)
				if before := in(0, m-1); r.ahead && ahead < int64(half) || !r.ahead && ahead != before && r.before != 0 {
					t.Fatalf("minute %d has %d of %d before it in %v", m, ahead, before, r)
				}
				if after := in(m+1, at); r.behind && behind < int64(half) || !r.behind && behind != after {
					t.Fatalf("minute %d has %d of %d behind it in %v", m, behind, after, r)
				}
			}
			if !found {
				t.Fatalf("minute %d is in none of %v", m, all)
			}
		}
	})
}
