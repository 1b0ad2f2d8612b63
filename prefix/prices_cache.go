package prefix

import "time"

// priceCache finds the rows of a table and remembers them: the requests of a conversation ask for few models on few days.
type priceCache struct {
	prices Prices
	found  map[priceKey]foundPrice
}

type priceKey struct {
	provider, model string
	year, day       int
}

type foundPrice struct {
	Price
	known bool
}

func newPriceCache(p Prices) *priceCache { return &priceCache{p, map[priceKey]foundPrice{}} }

// find is [Prices.Find].
func (c *priceCache) find(provider, model string, at time.Time) (Price, bool) {
	at = at.UTC()
	key := priceKey{provider, model, at.Year(), at.YearDay()}
	row, ok := c.found[key]
	if !ok {
		row.Price, row.known = c.prices.Find(provider, model, at)
		c.found[key] = row
	}
	return row.Price, row.known
}
