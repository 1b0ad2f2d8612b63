package report

import (
	"fmt"
	"testing"

	"github.com/tooltrail/tooltrail/finding"
)

func TestNoDetectorCrowdsTheOthersOutOfTheFindingsShown(t *testing.T) {
	var all []trouble
	add := func(detector string, severity finding.Severity, n int) {
		for i := range n {
			all = append(all, trouble{Finding: &finding.Finding{Detector: detector, Severity: severity, Title: fmt.Sprint(i)}})
		}
	}
	add("prefix", finding.Critical, 5)
	add("drift", finding.Warning, 20)
	add("activation", finding.Info, 6)
	n := map[string]int{}
	shown := fairShare(all, 12)
	for i := range shown {
		n[shown[i].Detector]++
	}
	if len(shown) != 12 || n["prefix"] != 5 || n["drift"] != 4 || n["activation"] != 3 {
		t.Errorf("shown %v", n)
	}
	if one := fairShare(all[5:25], 12); len(one) != 12 {
		t.Errorf("of one detector %d", len(one))
	}
}
