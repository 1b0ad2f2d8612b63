package prefix

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ReadPrices reads a user's table: a JSON array of rows as in [Price]. Unknown fields are an error, since a misspelt price would be silently
// missing. What a row leaves out of the multiples and of the rules of the cache it takes from the built-in row for its model, or for all that
// its pattern matches; prices themselves are taken from nowhere. A row with a price and without the multiples to tell a loss by is an error.
func ReadPrices(r io.Reader) (Prices, error) {
	rows, err := readRows(r)
	if err != nil {
		return nil, fmt.Errorf("read prices: %w", err)
	}
	p := make(Prices, len(rows))
	for i := range rows {
		row := &rows[i]
		row.inherit(defaultPrices)
		if err := row.checkMultiples(); err != nil {
			return nil, fmt.Errorf("read prices: %s: %w", row.name(i), err)
		}
		p[i] = row.Price
	}
	return p, nil
}

// priceRow is a row as it is read, with the fields that it has.
type priceRow struct {
	Price
	has map[string]bool
}

// name says which row it is, counted from 1.
func (r *priceRow) name(i int) string {
	if r.Provider == "" && r.Model == "" {
		return fmt.Sprintf("row %d", i+1)
	}
	model := r.Model
	if len(model) > MaxModelBytes {
		model = strings.ToValidUTF8(model[:MaxModelBytes], "") + "..."
	}
	return fmt.Sprintf("row %d (%s)", i+1, strings.TrimSpace(r.Provider+" "+model))
}

// readRows reads the rows as they stand.
func readRows(r io.Reader) ([]priceRow, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var all []jsontext.Value
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, tableError(text, err)
	}
	rows := make([]priceRow, len(all))
	for i, v := range all {
		row := &rows[i]
		err := row.read(v)
		if err == nil {
			err = row.check()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row.name(i), err)
		}
		row.Provider = ProviderName(row.Provider)
		if row.Lookback < 0 {
			row.Lookback = NoLookbackLimit
		}
	}
	return rows, nil
}

// tableError says what is wrong with a table that is no JSON array.
func tableError(text []byte, err error) error {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		at := min(max(int(syntax.ByteOffset), 0), len(text))
		return fmt.Errorf("not JSON at line %d: %w", 1+bytes.Count(text[:at], []byte("\n")), syntax.Err)
	}
	return errors.New("want a JSON array of rows")
}

// read reads one row, and says of a field that does not fit which one it is.
func (r *priceRow) read(v jsontext.Value) error {
	fields := map[string]jsontext.Value{}
	if err := json.Unmarshal(v, &fields); err != nil || v.Kind() != '{' {
		return fmt.Errorf("want an object, have %s", kindWords[v.Kind()])
	}
	r.has = map[string]bool{}
	for name, value := range fields {
		r.has[name] = value.Kind() != 'n'
	}
	err := json.Unmarshal(v, &r.Price, json.RejectUnknownMembers(true))
	var bad *json.SemanticError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &bad):
		return err
	}
	name := bad.JSONPointer.LastToken()
	if errors.Is(err, json.ErrUnknownName) {
		return fmt.Errorf("there is no field %q", name)
	}
	return fmt.Errorf("field %s: want %s, have %s", name, wantWords(name), have(fields[name]))
}

// kindWords name what JSON holds.
var kindWords = map[jsontext.Kind]string{
	'n': "null", 't': "true", 'f': "false", '"': "a string", '0': "a number", '{': "an object", '[': "an array",
}

// have shows a value of a row; those that are long, by their kind.
func have(v jsontext.Value) string {
	if k := v.Kind(); k == '{' || k == '[' || len(v) > 40 {
		return kindWords[k]
	}
	return string(v)
}

// wantWords says what a field holds.
func wantWords(field string) string {
	switch field {
	case "provider", "model", "from", "source", "checked":
		return "a string"
	case "up_to_tokens", "min_cacheable_tokens", "step_tokens", "ttl_seconds", "lookback_blocks":
		return "a whole number"
	}
	return "a number"
}

// inherit takes what a row leaves out from the row of another table that holds for its model; of a pattern, for all that it matches.
func (r *priceRow) inherit(from Prices) {
	at := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	if day, err := time.Parse(time.DateOnly, r.From); err == nil {
		at = day
	}
	base, ok := from.Find(r.Provider, r.Model, at)
	if !ok {
		return
	}
	for _, f := range []struct {
		name      string
		own, base *float64
	}{{"write_5m", &r.Write5m, &base.Write5m}, {"write_1h", &r.Write1h, &base.Write1h}, {"read", &r.Read, &base.Read}} {
		if !r.has[f.name] && *f.base > 0 {
			*f.own, r.has[f.name] = *f.base, true
		}
	}
	for _, f := range []struct {
		name      string
		own, base *int64
	}{
		{"min_cacheable_tokens", &r.MinTokens, &base.MinTokens}, {"step_tokens", &r.StepTokens, &base.StepTokens},
		{"ttl_seconds", &r.TTLSeconds, &base.TTLSeconds}, {"lookback_blocks", &r.Lookback, &base.Lookback},
	} {
		if !r.has[f.name] {
			*f.own = *f.base
		}
	}
}

// checkMultiples reports a row by which a loss would come out as nothing: one without multiples, or that writes for less than it reads.
func (r *priceRow) checkMultiples() error {
	for _, name := range []string{"read", "write_5m"} {
		if r.InputUSD != nil && !r.has[name] {
			return fmt.Errorf("field %s is missing: with input_usd_per_mtok, read and write_5m are needed, as multiples of it", name)
		}
	}
	for _, w := range []struct {
		name  string
		value float64
	}{{"write_5m", r.Write5m}, {"write_1h", r.Write1h}} {
		if r.has[w.name] && r.has["read"] && w.value < r.Read {
			return fmt.Errorf("field %s: %v is under read, %v: a write can't cost less than a read", w.name, w.value, r.Read)
		}
	}
	return nil
}

// check reports what makes no sense in a row of any table.
func (p *Price) check() error {
	if p.Provider == "" || p.Model == "" {
		return errors.New("provider and model must be given")
	}
	if len(p.Model) > MaxModelBytes {
		return fmt.Errorf("field model: %d bytes long: want %d at most", len(p.Model), MaxModelBytes)
	}
	if n := strings.Count(p.Model, "*"); n > MaxPatternStars {
		return fmt.Errorf("field model: %d stars: want %d at most", n, MaxPatternStars)
	}
	if _, err := path.Match(p.Model, ""); err != nil {
		return fmt.Errorf("field model: %q is no pattern: %w", p.Model, err)
	}
	for _, f := range []struct{ name, day string }{{"from", p.From}, {"checked", p.Checked}} {
		if _, err := time.Parse(time.DateOnly, f.day); f.day != "" && err != nil {
			return fmt.Errorf("field %s: %q is not a day such as 2026-10-07", f.name, f.day)
		}
	}
	for _, f := range []struct {
		name  string
		value float64
		least float64
	}{
		{"input_usd_per_mtok", deref(p.InputUSD), 0}, {"output_usd_per_mtok", deref(p.OutputUSD), 0}, {"up_to_tokens", float64(p.UpToTokens), 0},
		{"write_5m", p.Write5m, 0}, {"write_1h", p.Write1h, 0}, {"read", p.Read, 0}, {"min_cacheable_tokens", float64(p.MinTokens), 0},
		{"step_tokens", float64(p.StepTokens), 0}, {"ttl_seconds", float64(p.TTLSeconds), 0}, {"lookback_blocks", float64(p.Lookback), -1}, // -1 is no limit
	} {
		if f.value < f.least {
			return fmt.Errorf("field %s: %v is negative", f.name, f.value)
		}
	}
	return nil
}
