package prefix

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/events"
)

var update = flag.Bool("update", false, "write the tables in docs anew")

func TestRequestsCostWhatTheProviderSays(t *testing.T) {
	var o Observed
	o.UncachedInputTokens, o.CacheWrite5mInputTokens, o.OutputTokens = events.Tokens(3), events.Tokens(12_304), events.Tokens(550)
	for _, tt := range []struct {
		name            string
		provider, model string
		change          func(*Observed)
		want            float64
	}{
		{"5-minute writes", "anthropic", "claude-sonnet-4-5-20250929", nil, 0.054399},
		{"the same through a router", "openrouter", "anthropic/claude-sonnet-4.5", nil, 0.054399},
		{"1-hour writes", "anthropic", "claude-sonnet-4-5", func(o *Observed) {
			o.CacheWrite1hInputTokens, o.CacheWrite5mInputTokens = o.CacheWrite5mInputTokens, events.Count{}
		}, (3*3 + 12_304*6 + 550*15) / 1e6},
		{"reads", "anthropic", "claude-sonnet-4-5", func(o *Observed) {
			o.CacheReadInputTokens, o.CacheWrite5mInputTokens = o.CacheWrite5mInputTokens, events.Tokens(0)
		}, (3*3 + 12_304*0.3 + 550*15) / 1e6},
		{"a provider without writes", "openai", "gpt-5.1-2025-11-13", func(o *Observed) {
			o.UncachedInputTokens, o.CacheReadInputTokens, o.CacheWrite5mInputTokens = events.Tokens(1000), events.Tokens(9000), events.Count{}
		}, (1000*1.25 + 9000*0.125 + 550*10) / 1e6},
	} {
		r := o
		if tt.change != nil {
			tt.change(&r)
		}
		p, ok := DefaultPrices().Find(tt.provider, tt.model, t0)
		if got := p.RequestUSD(&r); !ok || math.Abs(got.USD-tt.want) > 1e-9 {
			t.Errorf("%s: %+v, want $%.6f", tt.name, got, tt.want)
		}
	}
}

func TestALostTokenCostsTheWriteLessTheRead(t *testing.T) {
	p, _ := DefaultPrices().Find("anthropic", "claude-sonnet-4-5", t0)
	o := req(1, 0, 0, 162_950)
	if got := p.LostUSD(&o, 162_834).USD; math.Abs(got-162_834*3*1.15/1e6) > 1e-9 {
		t.Errorf("5-minute write: $%.4f, want $0.5618", got)
	}
	o.CacheWrite1hInputTokens, o.CacheWrite5mInputTokens = o.CacheWrite5mInputTokens, events.Tokens(0)
	if got := p.LostUSD(&o, 1_000_000).USD; math.Abs(got-3*1.9) > 1e-9 {
		t.Errorf("1-hour write: $%.4f, want $5.70", got)
	}
	o.CacheWrite1hInputTokens = events.Tokens(0)
	if got := p.LostUSD(&o, 1_000_000).USD; math.Abs(got-3*0.9) > 1e-9 {
		t.Errorf("plain input: $%.4f, want $2.70", got)
	}
}

func TestAModelWithoutAPriceHasNone(t *testing.T) {
	for _, tt := range [][2]string{
		{"anthropic", "claude-sonnet-9"}, {"anthropic", "claude-sonnet-4-5-preview-x"}, {"openai", "gpt-99"}, {"deepseek", "deepseek-reasoner"},
		{"house", "claude-sonnet-4-5"}, {"", ""},
	} {
		p, _ := DefaultPrices().Find(tt[0], tt[1], t0)
		if o := req(1, 0, 0, 100); p.RequestUSD(&o).Known || p.LostUSD(&o, 10).Known {
			t.Errorf("%v has a price: %+v", tt, p)
		}
	}
}

func TestAPriceHoldsFromItsDay(t *testing.T) {
	for day, want := range map[string]float64{"2026-10-06": 0.1, "2026-10-07": 0.05, "2026-11-30": 0.05} {
		at, _ := time.Parse(time.DateOnly, day)
		if p, _ := DefaultPrices().Find("anthropic", "claude-sonnet-5-5", at); p.Read != want {
			t.Errorf("on %s reads cost %v, want %v", day, p.Read, want)
		}
	}
}

func TestAUsersRowsWin(t *testing.T) {
	user, err := ReadPrices(strings.NewReader(`[
		{"provider":"anthropic","model":"claude-sonnet-*","input_usd_per_mtok":1,"output_usd_per_mtok":2,"write_5m":1,"write_1h":1,"read":0,"source":"our contract","checked":"2026-11-01"}]`))
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := DefaultPrices().With(user).Find("anthropic", "claude-sonnet-4-5", t0); p.Source != "our contract" {
		t.Errorf("row %+v", p)
	}
	for _, bad := range []string{
		`{}`, `[{"provider":"x","model":"[","source":"s","checked":"2026-11-01"}]`, `[{"provider":"x","model":"y","input":3}]`, `[{"model":"y"}]`,
		`[{"provider":"x","model":"y","read":-1}]`, `[{"provider":"x","model":"y","from":"soon"}]`,
	} {
		if _, err := ReadPrices(strings.NewReader(bad)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

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

func TestTheMostParticularRowCounts(t *testing.T) {
	read := func(rows string) Prices {
		p, err := ReadPrices(strings.NewReader("[" + rows + "]"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	row := func(model, from, source string) string {
		return fmt.Sprintf(`{"provider":"google","model":%q,"from":%q,"source":%q,"checked":"2026-11-01"}`, model, from, source)
	}
	builtIn := read(strings.Join([]string{
		row("*", "", "any"), row("m-*", "2026-05-01", "family"), row("m-1*", "", "part of a family"), row("m-1", "", "old"), row("m-1", "2026-06-01", "new"),
		row("m-1", "2099-01-01", "to come"), row("m-1", "2026-06-01", "the same again"),
	}, ","))
	user := builtIn.With(read(row("m-2*", "2026-07-01", "our contract")))
	for _, tt := range []struct {
		prices           Prices
		model, day, want string
	}{
		{builtIn, "m-1", "2026-11-01", "new"},
		{builtIn, "m-1", "2026-01-01", "old"},
		{builtIn, "m-12", "2026-11-01", "part of a family"},
		{builtIn, "m-2", "2026-11-01", "family"},
		{builtIn, "m-2", "2026-04-30", "any"},
		{user, "m-2", "2026-11-01", "our contract"},
		{user, "m-2", "2026-06-30", "family"},
	} {
		at, _ := time.Parse(time.DateOnly, tt.day)
		if p, _ := tt.prices.Find("gemini", tt.model, at); p.Source != tt.want {
			t.Errorf("%s on %s: %q, want %q", tt.model, tt.day, p.Source, tt.want)
		}
	}
}

func TestAUsersRowWinsOverOneThatBeganLater(t *testing.T) {
	user, err := ReadPrices(strings.NewReader(`[{"provider":"anthropic","model":"claude-*","read":0.5,"source":"s","checked":"2026-11-01"}]`))
	if err != nil {
		t.Fatal(err)
	}
	at, _ := time.Parse(time.DateOnly, "2026-11-30")
	if p, _ := DefaultPrices().With(user).Find("anthropic", "claude-sonnet-5-5", at); p.Read != 0.5 {
		t.Errorf("row %+v", p)
	}
}

func TestNamesInUseAreFoundInTheTable(t *testing.T) {
	at, _ := time.Parse(time.DateOnly, "2026-11-30")
	for _, tt := range []struct {
		provider, model string
		minimum, step   int64
		input           float64
	}{
		{"anthropic", "claude-sonnet-4-5", 1024, 0, 3},
		{"anthropic", "claude-sonnet-4-6", 1024, 0, 3},
		{"anthropic", "claude-haiku-4-5-20251001", 4096, 0, 1},
		{"anthropic", "claude-opus-4-8", 1024, 0, 5},
		{"anthropic", "claude-haiku-5-5", 0, 0, 0.1},
		{"openrouter", "anthropic/claude-sonnet-4.6", 1024, 0, 3},
		{"openrouter", "google/gemini-2.5-flash", 2048, 0, 0.3},
		{"openrouter", "openai/gpt-5.6-luna:nitro", 1024, 0, 0.2},
		{"openrouter", "openai/gpt-5.6-luna:free", 0, 0, 0},
		{"openai", "gpt-4o-2024-11-20", 1024, 128, 2.5},
		{"openai", "gpt-5.4", 1024, 128, 2.5},
		{"openai", "gpt-5.6-terra", 1024, 0, 2},
		{"openai", "gpt-5.6-sol", 1024, 0, 0}, // a promotion that has ended
		{"openai", "gpt-6.9-nova", 1024, 0, 0},
		{"openai", "gpt-99", 1024, 128, 0},
		{"azure", "gpt-5.6-sol", 1024, 0, 0},
		{"google", "gemini-3-flash-preview", 1024, 0, 0.5},
		{"gcp.gemini", "models/gemini-2.5-flash", 2048, 0, 0.3},
		{"vertex_ai", "gemini-3-flash-preview", 2048, 0, 0},
		{"aws.bedrock", "eu.anthropic.claude-haiku-4-5-20251001-v1:0", 4096, 0, 1.1},
		{"aws.bedrock", "global.anthropic.claude-haiku-4-5-20251001-v1:0", 4096, 0, 1},
		{"aws.bedrock", "arn:aws:bedrock:eu-west-1:1:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0", 1024, 0, 0},
		{"deepseek", "deepseek-reasoner", 0, 64, 0},
		{"mistral", "mistral-large-latest", 0, 0, 0},
	} {
		p, _ := DefaultPrices().Find(tt.provider, tt.model, at)
		if p.MinTokens != tt.minimum || p.StepTokens != tt.step || deref(p.InputUSD) != tt.input {
			t.Errorf("%s %s: at least %d in steps of %d for $%v, want %d, %d, $%v", tt.provider, tt.model, p.MinTokens, p.StepTokens, deref(p.InputUSD), tt.minimum, tt.step, tt.input)
		}
	}
}

func TestAPriceEndsWhereLongPromptsCostMore(t *testing.T) {
	p, _ := DefaultPrices().Find("anthropic", "claude-haiku-5-5", t0)
	o := req(1, 0, 0, 100_000)
	o.UncachedInputTokens, o.OutputTokens = events.Tokens(0), events.Tokens(1)
	if got := p.RequestUSD(&o); !got.Known {
		t.Error("no price up to the limit")
	}
	o.UncachedInputTokens = events.Tokens(1)
	if p.RequestUSD(&o).Known || p.LostUSD(&o, 10).Known {
		t.Error("a price beyond the limit")
	}
}

func TestAProviderMayLookBackWithoutALimit(t *testing.T) {
	p, _ := DefaultPrices().Find("openai", "gpt-5.6-luna", t0)
	if p.Lookback != NoLookbackLimit {
		t.Errorf("looks back %d blocks", p.Lookback)
	}
}

func TestEveryBuiltInRowSaysWhereItStandsAndWhen(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range DefaultPrices() {
		at, err := time.Parse(time.DateOnly, p.Checked)
		if p.Source == "" || err != nil || at.After(time.Now()) || strings.Contains(p.Source, "://") {
			t.Errorf("%s %s: source %q, checked %q", p.Provider, p.Model, p.Source, p.Checked)
		}
		if ProviderName(p.Provider) != p.Provider {
			t.Errorf("%s is spelled %s", p.Provider, ProviderName(p.Provider))
		}
		if p.InputUSD != nil && (p.OutputUSD == nil || *p.OutputUSD < *p.InputUSD || p.Write5m < 1 || p.Write1h < p.Write5m || p.Read <= 0 || p.Read >= 1) {
			t.Errorf("%s %s: prices %+v", p.Provider, p.Model, p)
		}
		if p.InputUSD == nil && (p.OutputUSD != nil || p.UpToTokens != 0) {
			t.Errorf("%s %s: half a price %+v", p.Provider, p.Model, p)
		}
		if n := p.MinTokens; n != 0 && (n < 512 || n > 4096 || n&(n-1) != 0) {
			t.Errorf("%s %s: at least %d tokens", p.Provider, p.Model, n)
		}
		if strings.ContainsAny(p.Model, wildcards) && p.InputUSD != nil && p.Provider != ProviderBedrock {
			t.Errorf("%s %s: a pattern with a price", p.Provider, p.Model)
		}
		if key := p.Provider + " " + p.Model + " " + p.From; seen[key] {
			t.Errorf("%s is there twice", key)
		} else {
			seen[key] = true
		}
	}
}

func TestThePricesInTheDocumentationAreThoseOfTheTable(t *testing.T) {
	golden(t, "../docs/prices.md", pricesDoc())
}

// pricesDoc writes the table as documentation.
func pricesDoc() []byte {
	var b bytes.Buffer
	b.WriteString(pricesHead)
	for _, p := range DefaultPrices() {
		usd := func(v *float64) string {
			if v == nil {
				return "-"
			}
			return fmt.Sprint(*v)
		}
		num := func(v int64) string {
			if v == 0 {
				return "-"
			}
			return fmt.Sprint(v)
		}
		lookback := num(p.Lookback)
		if p.Lookback == NoLookbackLimit {
			lookback = "no limit"
		}
		share := func(v float64) string {
			if v == 0 {
				return "-"
			}
			return fmt.Sprint(v)
		}
		from := p.From
		if from == "" {
			from = "always"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s, %s |\n", p.Provider, p.Model, from, usd(p.InputUSD),
			usd(p.OutputUSD), num(p.UpToTokens), share(p.Write5m), share(p.Write1h), share(p.Read), num(p.MinTokens), num(p.StepTokens), num(p.TTLSeconds),
			lookback, p.Source, p.Checked)
	}
	return b.Bytes()
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

const pricesHead = `# Prices and cache rules

This is ` + "`prefix/prices.json`" + `, written by ` + "`go test ./prefix -update`" + `. Prices are US dollars a million tokens at the standard tier;
writes and reads are multiples of the input price. "-" is not known: a model without a price gets tokens and no dollars, never a guess.

## Your own prices

A file in the same form, given with ` + "`--prices FILE`" + `, wins over these rows for every model that its patterns match. It is a JSON array of rows:

` + "```json" + examplePrices + "```" + `

| field | what it is |
|---|---|
| ` + "`provider`, `model`" + ` | needed; a model's name, or a pattern with ` + "`*` and `?`" + ` |
| ` + "`from`" + ` | first day that the row holds for; left out: always |
| ` + "`input_usd_per_mtok`, `output_usd_per_mtok`" + ` | US dollars a million tokens; without the first nothing has a cost, without the second requests have none |
| ` + "`up_to_tokens`" + ` | the longest prompt that the prices hold for |
| ` + "`write_5m`, `write_1h`, `read`" + ` | multiples of ` + "`input_usd_per_mtok`" + `: what a written or read token costs; where writing has no price of its own, 1 |
| ` + "`min_cacheable_tokens`, `step_tokens`" + ` | the shortest prompt that is cached, and what cached lengths are a multiple of |
| ` + "`ttl_seconds`, `lookback_blocks`" + ` | how long the cache lives where the request does not say, and how many blocks before a marker are searched (-1: no limit) |
| ` + "`source`, `checked`" + ` | who says so, and on which day that was read |

Multiples and rules of the cache (from ` + "`write_5m` to `lookback_blocks`" + `) that a row leaves out are those of the built-in row for its model on its
first day, or else of the latest; of a pattern, those of the built-in pattern that covers all of it. Prices are taken from nowhere. A row with an input
price needs ` + "`read` and `write_5m`" + `, its own or the built-in ones; without ` + "`write_1h`" + ` one-hour writes have no cost that is known. A write
for less than a read is refused.

## Which row counts

Of several rows that match and
have begun ("from"), a user's counts before a built-in one, a name before a pattern, of patterns the one with more letters, then the latest. Providers
are spelled as events spell them; the other names in use are understood. A model's name is compared without what stands before its last slash, a
date at its end and ` + "`-latest`" + `; at Bedrock also without ` + "`-v1:0`" + `, and with its region. A model of OpenRouter is looked up at the provider
that its name begins with, unless it is a ` + "`:free`" + ` one.

Where long prompts cost more, prices hold up to a length, and a longer prompt has no dollars. Not in the table: batch, flex, priority and fast
tiers, US-only inference, 12-hour writes at OpenAI, storage of explicit Gemini caches, DeepSeek (its prices double at peak hours), Mistral and
Google's cloud. Put those that matter to you into your own file. No price was read live; the day is that of the copy or the citation.

## The built-in table

| provider | model | from | input | output | up to tokens | write 5 min | write 1 h | read | least tokens cached | in steps of | lives s | lookback blocks | source, checked |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
`
