package prefix

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tooltrail/tooltrail/events"
)

func TestABadPriceTableSaysRowAndField(t *testing.T) {
	row := func(fields string) string {
		return `[{"provider":"house","model":"m"},{"provider":"house","model":"house-1",` + fields + "}]"
	}
	for _, tt := range []struct{ table, want string }{
		{row(`"input_usd_per_mtok":3`), "row 2 (house house-1): field read is missing: with input_usd_per_mtok, read and write_5m are needed"},
		{row(`"input_usd_per_mtok":3,"read":0.1`), "row 2 (house house-1): field write_5m is missing"},
		{row(`"input_usd_per_mtok":3,"write_5m":1.25,"read":null`), "field read is missing"},
		{row(`"input_usd_per_mtok":3,"write_5m":0.1,"read":1.25`), "field write_5m: 0.1 is under read, 1.25"},
		{row(`"write_5m":1,"write_1h":0.5,"read":1`), "field write_1h: 0.5 is under read, 1"},
		{row(`"input_usd_per_mtok":"3"`), `row 2 (house house-1): field input_usd_per_mtok: want a number, have "3"`},
		{row(`"ttl_seconds":1.5`), "field ttl_seconds: want a whole number, have 1.5"},
		{row(`"source":7`), "field source: want a string, have 7"},
		{row(`"read":[1]`), "field read: want a number, have an array"},
		{row(`"input":3`), `row 2 (house house-1): there is no field "input"`},
		{row(`"read":-1`), "field read: -1 is negative"},
		{row(`"lookback_blocks":-2`), "field lookback_blocks: -2 is negative"},
		{row(`"from":"soon"`), `field from: "soon" is not a day`},
		{`[{"model":"y"}]`, "row 1 (y): provider and model must be given"},
		{`[7]`, "row 1: want an object, have a number"},
		{`{"provider":"house"}`, "want a JSON array of rows"},
		{"[\n{},\n{]", "not JSON at line 3"},
		{"", "not JSON at line 1"},
		{`[{"provider":"house","provider":"x","model":"m"}]`, "not JSON at line 1: duplicate"},
		{`[{"provider":"anthropic","model":"claude-sonnet-*","input_usd_per_mtok":3}]`, "field read is missing"},
		{`[{"provider":"anthropic","model":"claude-sonnet-4-5","read":3}]`, "field write_5m: 1.25 is under read, 3"},
	} {
		_, err := ReadPrices(strings.NewReader(tt.table))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "json") {
			t.Errorf("%s: %v, want %s", tt.table, err, tt.want)
		}
	}
}

func TestAUsersRowTakesWhatItLeavesOutFromTheBuiltInOne(t *testing.T) {
	for _, tt := range []struct{ row, want string }{
		{`{"provider":"anthropic","model":"claude-sonnet-4-5","input_usd_per_mtok":2.4,"output_usd_per_mtok":12}`, "1.25 2 0.1, 1024 0 300 20"},
		{`{"provider":"anthropic","model":"claude-sonnet-4-5","input_usd_per_mtok":2.4,"read":0.2,"ttl_seconds":60}`, "1.25 2 0.2, 1024 0 60 20"},
		{`{"provider":"anthropic","model":"claude-sonnet-4-5","input_usd_per_mtok":2.4,"read":0,"min_cacheable_tokens":0}`, "1.25 2 0, 0 0 300 20"},
		{`{"provider":"anthropic","model":"claude-sonnet-5-5","input_usd_per_mtok":2,"from":"2026-10-01"}`, "1.25 2 0.1, 0 0 300 20"},
		{`{"provider":"anthropic","model":"claude-sonnet-5-5","input_usd_per_mtok":2}`, "1.25 2 0.05, 0 0 300 20"},
		{`{"provider":"anthropic","model":"claude-sonnet-*","input_usd_per_mtok":2,"read":0.1,"write_5m":1}`, "1 0 0.1, 0 0 300 20"},
		{`{"provider":"azure","model":"gpt-5.1","input_usd_per_mtok":1,"read":0.1,"write_5m":1}`, "1 0 0.1, 1024 128 300 0"},
		{`{"provider":"house","model":"house-1","input_usd_per_mtok":1,"read":0.5,"write_5m":1}`, "1 0 0.5, 0 0 0 0"},
	} {
		p, err := ReadPrices(strings.NewReader("[" + tt.row + "]"))
		if err != nil {
			t.Errorf("%s: %v", tt.row, err)
			continue
		}
		r := p[0]
		if got := fmt.Sprintf("%v %v %v, %d %d %d %d", r.Write5m, r.Write1h, r.Read, r.MinTokens, r.StepTokens, r.TTLSeconds, r.Lookback); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.row, got, tt.want)
		}
	}
}

func TestOneHourWritesWithoutAPriceHaveNone(t *testing.T) {
	p := Price{InputUSD: new(float64), OutputUSD: new(float64), Write5m: 1.25, Read: 0.1}
	o := req(1, 0, 0, 0, func(o *Observed) { o.CacheWrite1hInputTokens = events.Tokens(9000) })
	if p.RequestUSD(&o).Known || p.LostUSD(&o, 9000).Known {
		t.Error("a price of what the row does not know")
	}
}

// examplePrices is the table that the documentation shows.
const examplePrices = `
[
  {"provider": "anthropic", "model": "claude-sonnet-4-5", "from": "2026-11-01", "input_usd_per_mtok": 2.4, "output_usd_per_mtok": 12,
   "source": "our contract", "checked": "2026-11-01"},
  {"provider": "house", "model": "house-*", "input_usd_per_mtok": 0.5, "output_usd_per_mtok": 2, "write_5m": 1, "read": 0.25,
   "min_cacheable_tokens": 1024, "ttl_seconds": 600, "source": "our own cluster", "checked": "2026-11-01"}
]
`

func TestTheTableThatTheDocumentationShowsIsRead(t *testing.T) {
	p, err := ReadPrices(strings.NewReader(examplePrices))
	if err != nil || len(p) != 2 || p[0].Read != 0.1 || p[0].MinTokens != 1024 || p[1].TTLSeconds != 600 {
		t.Errorf("table %+v: %v", p, err)
	}
}
