package prefix

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAPatternHasABoundedLengthAndNumberOfStars(t *testing.T) {
	for model, want := range map[string]string{
		strings.Repeat("*a", MaxPatternStars):   "",
		strings.Repeat("*a", MaxPatternStars+1): "field model: 9 stars: want 8 at most",
		strings.Repeat("a", MaxModelBytes):      "",
		strings.Repeat("a", MaxModelBytes+1):    "field model: 257 bytes long: want 256 at most",
	} {
		_, err := ReadPrices(strings.NewReader(fmt.Sprintf(`[{"provider":"house","model":%q}]`, model)))
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || len(err.Error()) > 2*MaxModelBytes) {
			t.Errorf("%s: %v", model, err)
		}
	}
}

func TestALongerNameThanAnyModelsHasNoPrice(t *testing.T) {
	p := Prices{{Provider: "house", Model: "*"}}
	for n, want := range map[int]bool{MaxModelBytes: true, MaxModelBytes + 1: false} {
		if _, ok := p.Find("house", strings.Repeat("a", n), t0); ok != want {
			t.Errorf("%d bytes: found %t", n, ok)
		}
	}
}

func TestARowIsLookedUpOnceForAModelAndADay(t *testing.T) {
	price := 3.0
	c := newPriceCache(Prices{{Provider: "house", Model: "a*"}, {Provider: "house", Model: "a*", From: "2026-03-02", InputUSD: &price}})
	day := time.Date(2026, 3, 1, 23, 59, 0, 0, time.UTC)
	for range 3 {
		for model, at := range map[string]time.Time{"a": day, "a1": day.Add(time.Minute), "b": day} {
			want, known := c.prices.Find("house", model, at)
			if got, ok := c.find("house", model, at); ok != known || got.InputUSD != want.InputUSD || got.Model != want.Model {
				t.Errorf("%s on %s: %+v, %t", model, at, got, ok)
			}
		}
	}
	if len(c.found) != 3 {
		t.Errorf("%d rows were looked up", len(c.found))
	}
}
