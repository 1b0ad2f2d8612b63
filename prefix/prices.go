package prefix

import (
	_ "embed"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Price is one row of the price table: what a model costs and how its cache works, as its provider said on a day.
type Price struct {
	// Provider is spelled as [ProviderName] does; a file may use any name that it knows.
	Provider string `json:"provider"`
	// Model is a model's name or a pattern with * and ?; dates and versions at the end of a name in use don't count. It has at most
	// [MaxModelBytes] and [MaxPatternStars].
	Model string `json:"model"`
	// From is the first day the row holds for, such as 2026-10-07; empty is always.
	From string `json:"from,omitzero"`
	// InputUSD and OutputUSD are US dollars a million tokens. A row without InputUSD knows the cache and not the cost.
	InputUSD  *float64 `json:"input_usd_per_mtok,omitzero"`
	OutputUSD *float64 `json:"output_usd_per_mtok,omitzero"`
	// UpToTokens is the longest prompt that the prices hold for, where longer ones cost more; a longer prompt's cost is not known. 0 is
	// any length.
	UpToTokens int64 `json:"up_to_tokens,omitzero"`
	// Write5m, Write1h and Read are multiples of InputUSD. Where a provider has no price for writing, writes cost the input: 1. Without
	// Write1h the cost of a request with one-hour writes is not known.
	Write5m float64 `json:"write_5m,omitzero"`
	Write1h float64 `json:"write_1h,omitzero"`
	Read    float64 `json:"read,omitzero"`
	// MinTokens is the shortest prompt that is cached; 0 is not known.
	MinTokens int64 `json:"min_cacheable_tokens,omitzero"`
	// StepTokens is what cached lengths are a multiple of; 0 or 1 is any length.
	StepTokens int64 `json:"step_tokens,omitzero"`
	// TTLSeconds is how long the cache lives where the request doesn't say; 0 is not known.
	TTLSeconds int64 `json:"ttl_seconds,omitzero"`
	// Lookback is how many blocks before a cache marker are searched; 0 is not known, and -1 in a file is [NoLookbackLimit].
	Lookback int64 `json:"lookback_blocks,omitzero"`
	// Source says where it stands, Checked on which day it was read there.
	Source  string `json:"source"`
	Checked string `json:"checked"`

	// User says that the row is not of the built-in table; [Prices.With] sets it.
	User bool `json:"-"`
}

// What bounds the work of comparing a model's name with a table, whoever wrote either.
const (
	// MaxModelBytes is the longest name or pattern of a model, in bytes. A name in use that is longer is looked up nowhere, so that it has no
	// price. The longest in real use, resource names of Amazon Bedrock, have some 130.
	MaxModelBytes = 256
	// MaxPatternStars is how many * a pattern may have: each may have all of a name looked at once more.
	MaxPatternStars = 8
)

// NoLookbackLimit is the Lookback of a provider that looks for markers at any distance in blocks.
const NoLookbackLimit = 1<<31 - 1

// Prices is a price table. Of several rows for a model that have begun, a user's counts before a built-in one, a name before a pattern
// and of patterns the one with more letters beside its wildcards, then the latest From, then the first.
type Prices []Price

//go:embed prices.json
var pricesJSON string

var defaultPrices = mustPrices(pricesJSON)

// DefaultPrices returns the built-in table; docs/prices.md shows it.
func DefaultPrices() Prices { return slices.Clone(defaultPrices) }

func mustPrices(s string) Prices {
	rows, err := readRows(strings.NewReader(s))
	if err != nil {
		panic(fmt.Errorf("built-in prices: %w", err))
	}
	p := make(Prices, len(rows))
	for i := range rows {
		if err := rows[i].checkMultiples(); err != nil {
			panic(fmt.Errorf("built-in prices: %s: %w", rows[i].name(i), err))
		}
		p[i] = rows[i].Price
	}
	return p
}

// With returns the table with a user's rows before its own: they win for every model that they match, from the day they hold for.
func (p Prices) With(user Prices) Prices {
	all := append(slices.Clone(user), p...)
	for i := range user {
		all[i].User = true
	}
	return all
}

// deref is what v points to, 0 where that is not known.
func deref[T int64 | float64](v *T) T {
	if v == nil {
		return 0
	}
	return *v
}

// Find returns the row for a provider's model on a day, and false when the table has none.
func (p Prices) Find(provider, model string, at time.Time) (Price, bool) {
	if len(model) > MaxModelBytes {
		return Price{}, false
	}
	provider, model = normalModel(provider, model)
	day := at.UTC().Format(time.DateOnly)
	var best *Price
	for i := range p {
		row := &p[i]
		if row.Provider == provider && row.From <= day && row.matches(model) && (best == nil || row.before(best)) {
			best = row
		}
	}
	if best == nil {
		return Price{}, false
	}
	return *best, true
}

// before reports whether the row counts rather than one that stands before it.
func (p *Price) before(other *Price) bool {
	if p.User != other.User {
		return p.User
	}
	if a, b := p.specificity(), other.specificity(); a != b {
		return a > b
	}
	return p.From > other.From
}

// wildcards are what makes a pattern of a name.
const wildcards = "*?["

// specificity is how much of a model's name the row says: all of it, or as many bytes as its pattern has beside wildcards.
func (p *Price) specificity() int {
	if !strings.ContainsAny(p.Model, wildcards) {
		return math.MaxInt
	}
	return len(p.Model) - strings.Count(p.Model, "*") - strings.Count(p.Model, "?")
}

func (p *Price) matches(model string) bool {
	if !strings.ContainsAny(p.Model, wildcards) {
		return p.Model == model
	}
	ok, _ := path.Match(p.Model, model)
	return ok
}

// covers reports whether the row's prices hold for a request: they may end at a length of prompt, and not know of one-hour writes.
func (p *Price) covers(o *Observed) bool {
	return p.InputUSD != nil && (p.UpToTokens == 0 || o.prompt() <= p.UpToTokens) && (p.Write1h > 0 || o.CacheWrite1hInputTokens.N == 0)
}

// dated is what a model's name may end with and still be that model.
var dated = regexp.MustCompile(`([@-]\d{8}|-\d{4}-\d{2}-\d{2}|-latest)$`)

// bedrockVersion is what a model's name ends with at Amazon Bedrock.
var bedrockVersion = regexp.MustCompile(`-v\d+$`)

// freeVariant ends the name of a model at OpenRouter that costs nothing, whatever its maker charges.
const freeVariant = ":free"

// normalModel brings provider and model to the names of the table. A model of OpenRouter is looked up at the provider that its
// name begins with, since OpenRouter passes prices on; one that is free there is not. A model of Bedrock keeps the region before its
// maker, which has a price.
func normalModel(provider, model string) (string, string) {
	provider, model = ProviderName(provider), strings.ToLower(model)
	if provider == ProviderOpenRouter && strings.HasSuffix(model, freeVariant) {
		return provider, model
	}
	if i := strings.LastIndexByte(model, '/'); i >= 0 {
		if provider == ProviderOpenRouter {
			provider = ProviderName(model[:i])
		}
		model = model[i+1:]
	}
	model, _, _ = strings.Cut(model, ":")
	if provider == ProviderBedrock {
		model = bedrockVersion.ReplaceAllString(model, "")
	}
	model = dated.ReplaceAllString(model, "")
	if strings.HasPrefix(model, "claude-") {
		model = strings.ReplaceAll(model, ".", "-")
	}
	return provider, model
}
