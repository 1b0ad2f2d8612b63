package report

import (
	"slices"

	"github.com/tooltrail/tooltrail/finding"
)

// fairShare picks the troubles to show where there are more than the limit: those that are critical, then of each detector its worst up to an
// equal share, then the rest in order. No detector crowds the others out. What is picked keeps its order.
func fairShare(all []trouble, limit int) []trouble {
	if limit <= 0 || len(all) <= limit {
		return all
	}
	detectors := map[string]int{}
	for i := range all {
		detectors[all[i].Detector]++
	}
	share := (limit + len(detectors) - 1) / len(detectors)
	taken := map[string]int{}
	var picked []int
	take := func(may func(t *trouble) bool) {
		for i := range all {
			if len(picked) < limit && !slices.Contains(picked, i) && may(&all[i]) {
				picked = append(picked, i)
				taken[all[i].Detector]++
			}
		}
	}
	take(func(t *trouble) bool { return t.Severity == finding.Critical })
	take(func(t *trouble) bool { return taken[t.Detector] < share })
	take(func(*trouble) bool { return true })
	slices.Sort(picked)
	shown := make([]trouble, len(picked))
	for i, at := range picked {
		shown[i] = all[at]
	}
	return shown
}
