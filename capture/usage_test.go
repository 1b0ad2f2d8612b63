package capture

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tooltrail/tooltrail/events"
)

func TestEachProvidersUsageTakesTheNormalForm(t *testing.T) {
	n := events.Tokens
	for name, c := range map[string]struct {
		raw  string
		want Usage
	}{
		"anthropic leaves the cache out": {
			`{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":50,"output_tokens":9,
				"cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":30}}`,
			Usage{n(3), n(100), n(20), n(30), n(9), events.Amount{}, false}},
		"anthropic without lifetimes": {
			`{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":50,"output_tokens":9}`,
			Usage{n(3), n(0), n(50), events.Count{}, n(9), events.Amount{}, true}},
		"anthropic before there was a cache": {
			`{"input_tokens":3,"output_tokens":9}`,
			Usage{n(3), events.Count{}, events.Count{}, events.Count{}, n(9), events.Amount{}, true}},
		"openai chat counts the whole prompt": {
			`{"prompt_tokens":1200,"completion_tokens":7,"total_tokens":1207,"prompt_tokens_details":{"cached_tokens":1024}}`,
			Usage{n(176), n(1024), events.Count{}, events.Count{}, n(7), events.Amount{}, false}},
		"openai chat that says what it wrote": {
			`{"prompt_tokens":1200,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":100,"cache_write_tokens":1000}}`,
			Usage{n(100), n(100), n(1000), events.Count{}, n(7), events.Amount{}, false}},
		"openai responses": {
			`{"input_tokens":1200,"input_tokens_details":{"cached_tokens":1024,"cache_write_tokens":0},"output_tokens":7,"total_tokens":1207}`,
			Usage{n(176), n(1024), n(0), events.Count{}, n(7), events.Amount{}, false}},
		"openai responses without details": {
			`{"input_tokens":1200,"output_tokens":7,"total_tokens":1207}`,
			Usage{n(1200), events.Count{}, events.Count{}, events.Count{}, n(7), events.Amount{}, false}},
		"openrouter states its cost": {
			`{"prompt_tokens":260,"completion_tokens":10,"cost":0.00093,"is_byok":false,"cost_details":{"upstream_inference_cost":0.00093},
				"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":0}}`,
			Usage{n(260), n(0), n(0), events.Count{}, n(10), events.USD(0.00093), false}},
		"openrouter with a key of one's own": {
			`{"prompt_tokens":1,"completion_tokens":1,"cost":0.25,"is_byok":true,"cost_details":{"upstream_inference_cost":1}}`,
			Usage{n(1), events.Count{}, events.Count{}, events.Count{}, n(1), events.USD(1.25), false}},
		"deepseek says hits and misses": {
			`{"prompt_tokens":563,"prompt_cache_hit_tokens":512,"prompt_cache_miss_tokens":51,"completion_tokens":116}`,
			Usage{n(51), n(512), events.Count{}, events.Count{}, n(116), events.Amount{}, false}},
		"mistral": {
			`{"prompt_tokens":20,"completion_tokens":5,"total_tokens":25}`,
			Usage{n(20), events.Count{}, events.Count{}, events.Count{}, n(5), events.Amount{}, false}},
		"gemini counts the cached content in and leaves zeros out": {
			`{"promptTokenCount":3520,"cachedContentTokenCount":3512,"candidatesTokenCount":2,"thoughtsTokenCount":42,"toolUsePromptTokenCount":10}`,
			Usage{n(18), n(3512), events.Count{}, events.Count{}, n(44), events.Amount{}, false}},
		"gemini without a cache": {
			`{"promptTokenCount":35,"totalTokenCount":35}`,
			Usage{n(35), n(0), events.Count{}, events.Count{}, n(0), events.Amount{}, false}},
		"bedrock leaves the cache out": {
			`{"inputTokens":3,"outputTokens":9,"totalTokens":162,"cacheReadInputTokens":100,"cacheWriteInputTokens":50,
				"cacheDetails":[{"ttl":"1h","inputTokens":30},{"ttl":"5m","inputTokens":20}]}`,
			Usage{n(3), n(100), n(20), n(30), n(9), events.Amount{}, false}},
		"null":                        {`null`, Usage{}},
		"nothing":                     {``, Usage{}},
		"an object of something else": {`{"tokens":"many"}`, Usage{unsplit: true}},
		"counts that are none":        {`{"input_tokens":null,"output_tokens":-1}`, Usage{unsplit: true}},
	} {
		t.Run(name, func(t *testing.T) {
			got := ReadUsage([]byte(c.raw))
			if d := cmp.Diff(c.want, got, cmp.AllowUnexported(Usage{}), cmpopts.EquateApprox(0, 1e-12)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestUsageThatIsMissingIsNotZero(t *testing.T) {
	u := ReadUsage(nil)
	if u.Known() || u.InputTokens().Known {
		t.Errorf("%+v", u)
	}
	var p events.RequestPrefix
	u.Set(&p)
	if p.UncachedInputTokens.Known || p.OutputTokens.Known || p.StatedCostUSD.Known {
		t.Errorf("%+v", p)
	}
}

func TestWritesOfUnknownLifetimeGoByTheBreakpoints(t *testing.T) {
	hour, five := events.Breakpoint{Part: "system", TTLSeconds: 3600}, events.Breakpoint{Part: "system", TTLSeconds: 300}
	for _, c := range []struct {
		breakpoints []events.Breakpoint
		oneHour     bool
	}{{nil, false}, {[]events.Breakpoint{hour}, true}, {[]events.Breakpoint{hour, five}, false}} {
		u := ReadUsage([]byte(`{"input_tokens":1,"cache_creation_input_tokens":50}`))
		u.split(c.breakpoints)
		if got := u.CacheWrite1hInputTokens.N == 50; got != c.oneHour {
			t.Errorf("%v: %+v", c.breakpoints, u)
		}
	}
}

func FuzzReadUsage(f *testing.F) {
	f.Add([]byte(`{"prompt_tokens":1e300,"prompt_tokens_details":{"cached_tokens":5}}`))
	f.Add([]byte(`{"inputTokens":3,"cacheDetails":[{"ttl":"1h","inputTokens":30}]}`))
	f.Add([]byte(`{"input_tokens":1.5,"cost":-1}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		u := ReadUsage(raw)
		for _, c := range []events.Count{u.UncachedInputTokens, u.CacheReadInputTokens, u.CacheWrite5mInputTokens, u.CacheWrite1hInputTokens, u.OutputTokens} {
			if c.N < 0 || !c.Known && c.N != 0 {
				t.Fatalf("%s: %+v", raw, u)
			}
		}
		if u.StatedCostUSD.USD < 0 {
			t.Fatalf("%s: %+v", raw, u)
		}
	})
}
