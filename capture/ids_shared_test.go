package capture

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/events/eventstest"
)

// said is a text that the model has read, and what it was.
type said struct{ who, text string }

// idUse is a value in a call that looks like an id.
type idUse struct {
	conversation, call int
	tool               string
	activation.JudgedID
	// where is what held the value before, form how; empty where a search of all that was said before finds it nowhere. It knows
	// nothing of the pieces and hashes by which the tracker judges.
	where, form string
}

// planted counts the ids of an argument, and how many of them are flagged once they are replaced by others that nothing said.
type planted struct{ ids, flagged int }

// idReader follows the trajectories with the tracker that reading them has, and beside it keeps all that was said.
type idReader struct {
	t        *testing.T
	r        *chatReader
	random   *rand.Rand
	schemas  []said
	said     []said
	tools    map[string]string
	calls    int
	uses     []idUse
	plants   map[string]*planted
	lastCall int
}

// idArguments are the trajectories' arguments that hold ids, chosen by reading their definitions.
var idArguments = []string{"user_id", "reservation_id", "payment_id", "flight_number"}

// sampleSeed draws the sample and the ids that are planted.
const sampleSeed = 20_260_101

func readIDs(t *testing.T) *idReader {
	path := eventstest.SharedFile(t, "airline-trajectories.jsonl")
	src := &Source{Options: Options{Source: "test", ToolsFile: eventstest.SharedFile(t, "airline-tools.json"), IncludeValues: true}}
	r, err := newChatReader(t.Context(), src, func(*events.Event) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	d := &idReader{t: t, r: r, random: rand.New(rand.NewPCG(sampleSeed, 0)), plants: map[string]*planted{}}
	for _, name := range idArguments {
		d.plants[name] = &planted{}
	}
	for i := range r.tools.known {
		d.schemas = append(d.schemas, said{"definition of " + r.tools.known[i].def.Name, r.tools.text[i]})
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		d.conversation(n, line)
	}
	return d
}

// conversation reads one line.
func (d *idReader) conversation(n int, line []byte) {
	var in trajectory
	if err := decodeLenient(line, &in); err != nil {
		d.t.Fatal(err)
	}
	c, err := d.r.conversation(fmt.Sprint(n), "", d.r.tools)
	if err != nil {
		d.t.Fatal(err)
	}
	d.said, d.tools, d.lastCall = slices.Clone(d.schemas), map[string]string{}, 0
	for _, raw := range in.Messages {
		var m chatMessage
		if err := decodeLenient(raw, &m); err != nil {
			d.t.Fatal(err)
		}
		if m.Role == "assistant" {
			for _, call := range m.ToolCalls {
				d.tools[call.ID] = call.Function.Name
				d.call(n, c, call.Function)
			}
		}
		if err := c.message(raw); err != nil {
			d.t.Fatal(err)
		}
		d.hear(&m)
	}
}

// hear keeps what the model read.
func (d *idReader) hear(m *chatMessage) {
	switch m.Role {
	case "assistant":
	case "tool":
		d.said = append(d.said, said{"result of " + d.tools[m.ToolCallID], contentText(m.Content)})
	default:
		d.said = append(d.said, said{m.Role + "'s message", contentText(m.Content)})
	}
}

// call judges a call as it is, and once for each of its ids with another id in its place.
func (d *idReader) call(n int, c *conversation, f chatFunction) {
	d.calls++
	d.lastCall++
	args, _ := callArguments(f.Arguments)
	for j := range c.ids.Judge(args) {
		u := idUse{conversation: n, call: d.lastCall, tool: f.Name, JudgedID: j}
		u.where, u.form = d.find(j.Value)
		d.uses = append(d.uses, u)
	}
	eachString(args, func(name, value string) {
		p := d.plants[name]
		if p == nil {
			return
		}
		other := d.another(value)
		changed := bytes.Replace(args, []byte(`"`+value+`"`), []byte(`"`+other+`"`), 1)
		p.ids++
		for j := range c.ids.Judge(changed) {
			if j.Value == other && !j.Seen {
				p.flagged++
				return
			}
		}
	})
}

// eachString calls fn with each string in arguments and the name it stands under.
func eachString(args jsontext.Value, fn func(name, value string)) {
	if elements(args, func(v jsontext.Value) { eachString(v, fn) }) {
		return
	}
	members(args, func(name string, v jsontext.Value) {
		if v.Kind() == '"' {
			fn(name, stringOf(v))
			return
		}
		eachString(v, fn)
	})
}

// find searches all that was said before for a value: as it stands, or in other case and separators.
func (d *idReader) find(value string) (where, form string) {
	for _, s := range d.said {
		if strings.Contains(s.text, value) {
			return s.who, "as it is"
		}
	}
	plain := strings.NewReplacer("_", "", "-", "", " ", "")
	for _, s := range d.said {
		if strings.Contains(plain.Replace(strings.ToLower(s.text)), plain.Replace(strings.ToLower(value))) {
			return s.who, "in other case or separators"
		}
	}
	return "", ""
}

// another returns an id like this one that a search finds nowhere: the same words, other digits; where letters and digits are mixed,
// other letters too. Where there is none, it returns the id itself.
func (d *idReader) another(id string) string {
	for range 1000 {
		var b strings.Builder
		for _, c := range id {
			b.WriteRune(d.replace(c, isMixed(id)))
		}
		if where, _ := d.find(b.String()); where == "" && b.String() != id {
			return b.String()
		}
	}
	return id
}

func (d *idReader) replace(c rune, letters bool) rune {
	switch {
	case c >= '0' && c <= '9':
		return '0' + d.random.Int32N(10)
	case letters && c >= 'A' && c <= 'Z':
		return 'A' + d.random.Int32N(26)
	}
	return c
}

// isMixed reports that an id is none of words, numbers and words before a number: JG7FMM is mixed, and so is one of letters alone.
func isMixed(id string) bool {
	rest := strings.TrimLeft(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	return !strings.ContainsAny(id, "_-") && (rest == "" || strings.Trim(rest, "0123456789") != "")
}

// form shows an id without what it says: a for a small letter, A for a large one, 9 for a digit.
func form(id string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= '0' && c <= '9':
			return '9'
		case c >= 'a' && c <= 'z':
			return 'a'
		case c >= 'A' && c <= 'Z':
			return 'A'
		}
		return c
	}, id)
}

// sampled draws 50 of the ids that were judged seen, in the order of the file.
func sampled(uses []idUse) []idUse {
	var seen []idUse
	for _, u := range uses {
		if u.Seen {
			seen = append(seen, u)
		}
	}
	order := rand.New(rand.NewPCG(sampleSeed, 1)).Perm(len(seen))[:50]
	slices.Sort(order)
	var out []idUse
	for _, i := range order {
		out = append(out, seen[i])
	}
	return out
}

// lowest is the lower end of the 95 % Wilson interval of hits of n, in percent.
func lowest(hits, n int) float64 {
	const z = 1.96
	p, m := float64(hits)/float64(n), float64(n)
	return 100 * (p + z*z/(2*m) - z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))) / (1 + z*z/m)
}
