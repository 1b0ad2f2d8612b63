package capture

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

func TestTheTableInTheDocumentationIsTrue(t *testing.T) {
	text, err := os.ReadFile("../docs/usage.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 10 || !strings.Contains(cells[2], "`") {
			continue
		}
		rows++
		u := ReadUsage([]byte(strings.Trim(cells[2], " `")))
		for i, got := range []events.Count{
			u.UncachedInputTokens, u.CacheReadInputTokens, u.CacheWrite5mInputTokens, u.CacheWrite1hInputTokens, u.OutputTokens,
		} {
			if want := strings.TrimSpace(cells[3+i]); want != shown(got.Known, strconv.FormatInt(got.N, 10)) {
				t.Errorf("%s, column %d: the page says %s, the code %+v", cells[1], 3+i, want, got)
			}
		}
		if want := strings.TrimSpace(cells[8]); want != shown(u.StatedCostUSD.Known, strconv.FormatFloat(u.StatedCostUSD.USD, 'f', -1, 64)) {
			t.Errorf("%s: the page says %s dollars, the code %+v", cells[1], want, u.StatedCostUSD)
		}
	}
	if rows != 10 {
		t.Errorf("%d rows", rows)
	}
}

func shown(known bool, text string) string {
	if !known {
		return "-"
	}
	return text
}
