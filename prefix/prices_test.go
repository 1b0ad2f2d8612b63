package prefix

import (
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
	o := req(1, 0, 0, 162_950, sent(0))
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
