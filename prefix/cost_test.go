package prefix_test

import (
	"math"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/capture"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/prefix"
)

// usedBy returns a request with a usage in its provider's own form.
func usedBy(provider, model, usage string) prefix.Observed {
	var o prefix.Observed
	o.ProviderName, o.RequestModel = provider, model
	u := capture.ReadUsage(jsontext.Value(usage))
	u.Set(&o.RequestPrefix)
	return o
}

func TestUsageInAProvidersFormCostsWhatItsBillSays(t *testing.T) {
	for _, tt := range []struct {
		name, provider, model, usage string
		// parts are uncached, read, written for 5 minutes.
		parts [3]int64
		want  float64
	}{
		{"Anthropic: 3 in, 12,304 written, 550 out at $3 and $15", "anthropic", "claude-sonnet-4-5",
			`{"input_tokens":3,"cache_creation_input_tokens":12304,"cache_read_input_tokens":0,"output_tokens":550,
				"cache_creation":{"ephemeral_5m_input_tokens":12304,"ephemeral_1h_input_tokens":0}}`,
			[3]int64{3, 0, 12_304}, 0.054399},
		{"OpenAI's form: 98,805 in all, of which 66,360 read and 32,435 written", "openrouter", "anthropic/claude-sonnet-4.5",
			`{"prompt_tokens":98805,"completion_tokens":0,"total_tokens":98805,
				"prompt_tokens_details":{"cached_tokens":66360,"cache_write_tokens":32435}}`,
			[3]int64{10, 66_360, 32_435}, (10*3 + 66_360*0.3 + 32_435*3.75) / 1e6},
	} {
		o := usedBy(tt.provider, tt.model, tt.usage)
		got := [3]int64{o.UncachedInputTokens.N, o.CacheReadInputTokens.N, o.CacheWrite5mInputTokens.N}
		if got != tt.parts || o.CacheWrite1hInputTokens.N != 0 {
			t.Errorf("%s: parts %v, want %v, and no overlap", tt.name, got, tt.parts)
		}
		p, _ := prefix.DefaultPrices().Find(tt.provider, tt.model, o.StartTime)
		if usd := p.RequestUSD(&o); math.Abs(usd.USD-tt.want) > 1e-9 {
			t.Errorf("%s: %+v, want $%.6f", tt.name, usd, tt.want)
		}
	}
}

func TestAModelThatIsNotKnownHasTokensAndNoDollars(t *testing.T) {
	o := usedBy("house", "house-1", `{"prompt_tokens":98805,"prompt_tokens_details":{"cached_tokens":66360}}`)
	p, known := prefix.DefaultPrices().Find("house", "house-1", o.StartTime)
	if known || p.RequestUSD(&o) != (events.Amount{}) || p.LostUSD(&o, 66_360) != (events.Amount{}) {
		t.Errorf("price %+v of a model that nobody knows", p)
	}
	if o.CacheReadInputTokens != events.Tokens(66_360) || o.UncachedInputTokens != events.Tokens(32_445) {
		t.Errorf("usage %+v", o.RequestPrefix)
	}
}
