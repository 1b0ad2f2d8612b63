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

func TestEveryBuiltInRowSaysWhereItStandsAndWhen(t *testing.T) {
	for _, p := range DefaultPrices() {
		if p.Source == "" || p.Checked == "" || strings.Contains(p.Source, "://") {
			t.Errorf("%s %s: source %q, checked %q", p.Provider, p.Model, p.Source, p.Checked)
		}
		if p.InputUSD != nil && (p.OutputUSD == nil || p.Write5m < 1 || p.Write1h < 1 || p.Read <= 0 || p.Read >= 1) {
			t.Errorf("%s %s: prices %+v", p.Provider, p.Model, p)
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
		from := p.From
		if from == "" {
			from = "always"
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s | %v | %v | %v | %s | %s | %s | %s | %s, %s |\n", p.Provider, p.Model, from, usd(p.InputUSD),
			usd(p.OutputUSD), p.Write5m, p.Write1h, p.Read, num(p.MinTokens), num(p.StepTokens), num(p.TTLSeconds), num(p.Lookback), p.Source, p.Checked)
	}
	return b.Bytes()
}

const pricesHead = `# Prices and cache rules

This is ` + "`prefix/prices.json`" + `, written by ` + "`go test ./prefix -update`" + `. Prices are US dollars a million tokens at the standard tier;
writes and reads are multiples of the input price. "-" is not known: a model without a price gets tokens and no dollars, never a guess.

A file in the same form, given to the analyzer, wins over these rows for every model that its patterns match. A model's name is compared without
what stands before its last slash, a date at its end and ` + "`-latest`" + `; a model of OpenRouter is looked up at the provider that its name begins with.

Not in the table: surcharges for long prompts, batch, priority and regional tiers, and Haiku 5.5, Gemini and DeepSeek prices, which depend on the
length of the prompt or the hour. Put those that matter to you into your own file.

| provider | model | from | input | output | write 5 min | write 1 h | read | least tokens cached | in steps of | lives s | lookback blocks | source, checked |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
`
