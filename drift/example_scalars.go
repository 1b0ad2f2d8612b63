package drift

import (
	"encoding/json"
	"math/big"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// madeNumbers makes numbers near the ends of the range that schemas allow, the ones nearest to zero first.
func madeNumbers(all []*jsonschema.Schema, whole bool) []any {
	var out []any
	step := oneRat
	for _, s := range all {
		if s.MultipleOf != nil && s.MultipleOf.Sign() > 0 {
			step = s.MultipleOf
		}
	}
	add := func(r *big.Rat) {
		if n, ok := ratNumber(r); ok && (!whole || r.IsInt()) {
			out = append(out, n)
		}
	}
	add(oneRat)
	add(new(big.Rat))
	for _, s := range all {
		for _, b := range []*big.Rat{s.Minimum, s.ExclusiveMinimum, s.Maximum, s.ExclusiveMaximum} {
			if b == nil {
				continue
			}
			near := new(big.Rat).Mul(step, new(big.Rat).SetInt(floorOf(new(big.Rat).Quo(b, step))))
			for _, r := range []*big.Rat{
				b, near, new(big.Rat).Add(near, step), new(big.Rat).Sub(near, step), new(big.Rat).Add(b, big.NewRat(1, 2)),
				new(big.Rat).Sub(b, big.NewRat(1, 2)), new(big.Rat).SetInt(floorOf(b)),
				new(big.Rat).Add(new(big.Rat).SetInt(floorOf(b)), oneRat),
			} {
				add(r)
			}
		}
	}
	add(step)
	if !whole {
		add(big.NewRat(1, 2))
	}
	return out
}

func floorOf(r *big.Rat) *big.Int { return new(big.Int).Div(r.Num(), r.Denom()) }

// ratNumber writes a rational as a JSON number, where it can be written exactly and briefly.
func ratNumber(r *big.Rat) (json.Number, bool) {
	if r.IsInt() {
		s := r.Num().String()
		return json.Number(s), len(s) <= maxNumber
	}
	s := strings.TrimRight(r.FloatString(20), "0")
	back, ok := new(big.Rat).SetString(s)
	return json.Number(s), ok && back.Cmp(r) == 0 && len(s) <= maxNumber
}

// formatSamples has a value for each format that schemas name often.
var formatSamples = map[string]string{
	"date-time": "2026-01-02T03:04:05Z", "date": "2026-01-02", "time": "03:04:05Z", "duration": "P1D", "email": "user@example.com",
	"idn-email": "user@example.com", "hostname": "example.com", "idn-hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uri": "https://example.com/", "uri-reference": "/", "iri": "https://example.com/", "iri-reference": "/", "url": "https://example.com/",
	"uuid": "00000000-0000-4000-8000-000000000000", "json-pointer": "/a", "relative-json-pointer": "0", "regex": "a", "uri-template": "/{a}",
}

// madeStrings makes strings: of a format, matching a pattern, or plain ones of the least length.
func madeStrings(all []*jsonschema.Schema) []any {
	least, most := 0, -1
	var out []any
	for _, s := range all {
		least = max(least, s.MinLength)
		if s.MaxLength >= 0 && (most < 0 || s.MaxLength < most) {
			most = s.MaxLength
		}
	}
	if least > maxMadeLength {
		return nil
	}
	for _, s := range all {
		if v, ok := formatSamples[s.Format]; ok {
			out = append(out, v)
		}
		if s.Pattern != nil {
			for _, v := range matching(s.Pattern.String(), least) {
				out = append(out, v)
			}
		}
	}
	word := "text"
	if most >= 0 && most < len(word) {
		word = word[:most]
	}
	for len(word) < least {
		word += "x"
	}
	return append(out, word, strings.Repeat("0", least), "")
}

// matching makes strings that may match a pattern: with what repeats as seldom as it can, and more often up to a length.
func matching(pattern string, least int) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	var out []string
	for _, times := range []int{0, 1, 2, least} {
		for _, branch := range []int{0, 1} {
			w := patternWriter{times: times, branch: branch}
			w.write(re)
			s := w.b.String()
			if !w.full {
				out = append(out, s)
			}
		}
	}
	if n := len(out); n > 0 && len(out[0]) < least {
		out = append(out, out[0]+strings.Repeat("x", least-len(out[0])))
	}
	return out
}

// patternWriter writes a string that a regular expression matches.
type patternWriter struct {
	b             strings.Builder
	times, branch int
	work          int
	full          bool
}

func (w *patternWriter) write(re *syntax.Regexp) {
	if w.work++; w.b.Len() > maxMadeLength || w.work > 4*maxMadeLength {
		w.full = true
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		w.b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		w.b.WriteRune(runeOf(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.b.WriteByte('x')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			w.write(sub)
		}
	case syntax.OpAlternate:
		w.write(re.Sub[min(w.branch, len(re.Sub)-1)])
	case syntax.OpStar:
		w.repeat(re.Sub[0], w.times)
	case syntax.OpPlus:
		w.repeat(re.Sub[0], max(1, w.times))
	case syntax.OpQuest:
		w.repeat(re.Sub[0], min(1, w.times))
	case syntax.OpRepeat:
		n := max(re.Min, w.times)
		if re.Max >= 0 {
			n = min(n, re.Max)
		}
		w.repeat(re.Sub[0], n)
	}
}

func (w *patternWriter) repeat(re *syntax.Regexp, n int) {
	for i := 0; i < n && !w.full; i++ {
		w.write(re)
	}
}

// runeOf picks a letter or digit from a class where it has one.
func runeOf(class []rune) rune {
	for _, want := range "a0AxX1_-. " {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= want && want <= class[i+1] {
				return want
			}
		}
	}
	if len(class) == 0 {
		return 'x'
	}
	return class[0]
}

// inventedNames makes up member names.
func inventedNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "extra" + strconv.Itoa(i+1)
	}
	return names
}
