package prefix

import (
	"bytes"
	"fmt"
	"testing"
)

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

const pricesHead = `# Prices and cache rules

This is ` + "`prefix/prices.json`" + `, written by ` + "`go test ./prefix -update`" + `. Prices are US dollars a million tokens at the standard tier;
writes and reads are multiples of the input price. "-" is not known: a model without a price gets tokens and no dollars, never a guess.

## Your own prices

A file in the same form, given with ` + "`--prices FILE`" + `, wins over these rows for every model that its patterns match. It is a JSON array of rows:

` + "```json" + examplePrices + "```" + `

| field | what it is |
|---|---|
| ` + "`provider`, `model`" + ` | needed; a model's name, or a pattern with ` + "`*` and `?`" + `; at most 256 bytes and 8 stars |
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
