package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/analyzer"
	"github.com/tooltrail/tooltrail/cli/report"
)

// analysis is the JSON report of analyze: that of the analyzer, and what was left out of the files.
type analysis struct {
	analyzer.Report
	// BadLines counts lines that could not be read, UnfinishedCalls calls without a result, and SkippedLines lines that say nothing of
	// tools, by the type that their file gives them; FilesLeftOut counts files of no known format.
	BadLines        int64            `json:"bad_lines"`
	SkippedLines    map[string]int64 `json:"skipped_lines"`
	UnfinishedCalls int64            `json:"unfinished_calls"`
	FilesLeftOut    int64            `json:"files_left_out"`
}

// withSent adds to a report what was left out.
func withSent(r *analyzer.Report, s *sent, filesLeftOut int) *analysis {
	return &analysis{*r, s.bad, s.skipped, s.unfinished, int64(filesLeftOut)}
}

// leftOut says what the files hold that is not in the report, or is empty.
func leftOut(s *sent, files int) string {
	var all []string
	if files > 0 {
		all = append(all, report.Plural(int64(files), "file")+" left out")
	}
	if s.bad > 0 {
		all = append(all, fmt.Sprintf("%s left out of %s", report.Plural(s.bad, "line"), report.Plural(s.badFiles, "file")))
	}
	if s.unfinished > 0 {
		all = append(all, report.Plural(s.unfinished, "call")+" without a result left out")
	}
	if text := passedOver(s.skipped); text != "" {
		all = append(all, text)
	}
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, "; ") + "."
}

// maxKinds is how many types of lines are named.
const maxKinds = 4

// passedOver names the types of lines that say nothing of tools, the most frequent first.
func passedOver(skipped map[string]int64) string {
	kinds := slices.SortedFunc(maps.Keys(skipped), func(a, b string) int {
		return cmp.Or(-cmp.Compare(skipped[a], skipped[b]), cmp.Compare(a, b))
	})
	var total int64
	var named []string
	for i, k := range kinds {
		total += skipped[k]
		if i < maxKinds {
			named = append(named, report.Count(skipped[k])+" "+k)
		}
	}
	if total == 0 {
		return ""
	}
	if len(kinds) > maxKinds {
		named = append(named, "...")
	}
	return report.Plural(total, "line") + " passed over as saying nothing of tools (" + strings.Join(named, ", ") + ")"
}
