package prefix_test

import (
	"fmt"
	"time"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// A tool is added in the middle of a conversation, and all that was in the cache is processed again.
func ExampleJudge() {
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	request := func(at time.Duration, read, write int64, tools ...string) prefix.Observed {
		r := events.RequestPrefix{ToolsKnown: true, Status: events.StatusOK, StartTime: start.Add(at)}
		r.ProviderName, r.RequestModel = "anthropic", "claude-sonnet-4-5"
		r.CacheReadInputTokens, r.CacheWrite5mInputTokens = events.Tokens(read), events.Tokens(write)
		for _, name := range tools {
			r.Tools = append(r.Tools, events.PrefixTool{Name: name, Digest: "digest of " + name})
		}
		return prefix.Observed{RequestPrefix: r}
	}
	judged := prefix.Judge([]prefix.Observed{
		request(0, 0, 270_000, "edit", "read"),
		request(10*time.Second, 270_000, 900, "edit", "read"),
		request(20*time.Second, 0, 271_800, "edit", "lsp", "read"),
	}, prefix.DefaultSettings())
	for _, j := range judged {
		fmt.Printf("%d %s, %d tokens lost, $%.2f %v\n", j.Request, j.Verdict, j.TokensLost.N, j.LostUSD.USD, j.Tools)
	}
	// Output:
	// 1 cold_start, 0 tokens lost, $0.00 []
	// 2 ok, 0 tokens lost, $0.00 []
	// 3 tools_changed, 270900 tokens lost, $0.93 [{lsp added 1 true once}]
}
