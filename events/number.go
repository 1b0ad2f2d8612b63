package events

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Count is a number of tokens that may be not reported, which is not zero. The zero Count is not reported.
type Count struct {
	N     int64
	Known bool
}

// Tokens returns a reported count.
func Tokens(n int64) Count { return Count{N: n, Known: true} }

// Ptr returns a pointer to the number, and nil when it was not reported.
func (c Count) Ptr() *int64 {
	if !c.Known {
		return nil
	}
	return &c.N
}

// IsZero reports that the count was not reported, so that it is left out of JSON.
func (c Count) IsZero() bool { return !c.Known }

// MarshalJSONTo writes the number.
func (c Count) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteToken(jsontext.Int(c.N))
}

// UnmarshalJSONFrom reads a whole number that is not negative.
func (c *Count) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if tok.Kind() != '0' {
		return fmt.Errorf("want a whole number, have %s", tok.Kind())
	}
	n, err := strconv.ParseInt(tok.String(), 10, 64)
	if err != nil {
		return fmt.Errorf("want a whole number, have %s", tok)
	}
	c.N, c.Known = n, true
	return nil
}

// Amount is a sum of US dollars that may be not stated. The zero Amount is not stated.
type Amount struct {
	USD   float64
	Known bool
}

// USD returns a stated amount.
func USD(v float64) Amount { return Amount{USD: v, Known: true} }

// IsZero reports that the amount was not stated.
func (a Amount) IsZero() bool { return !a.Known }

// MarshalJSONTo writes the number.
func (a Amount) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteToken(jsontext.Float(a.USD))
}

// UnmarshalJSONFrom reads a number.
func (a *Amount) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if tok.Kind() != '0' {
		return fmt.Errorf("want a number, have %s", tok.Kind())
	}
	a.USD, err = tok.Float()
	a.Known = err == nil
	return err
}
