package activation

import (
	"bytes"
	"hash/maphash"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// IDSettings bound what [IDs] keeps and say what it looks at. The zero IDSettings are [DefaultIDSettings].
type IDSettings struct {
	// MaxSeen is how many different pieces of text are kept a conversation, 8 bytes and the table's overhead each. Once there are
	// more, nothing is called made up any more.
	MaxSeen int
	// MaxShapes is how many shapes of ids are learned a conversation.
	MaxShapes int
	// MaxFlags is how many made-up ids one call can have.
	MaxFlags int
	// OwnKeys are words in an argument's name that say that the caller is to make the id up.
	OwnKeys []string
	// NotIDs are words in an argument's name that say that its value is no id.
	NotIDs []string
	// IncludeValues puts the value itself into what [IDs.Check] returns.
	IncludeValues bool
}

// DefaultIDSettings returns settings that take at most some ten megabytes a conversation.
func DefaultIDSettings() IDSettings {
	return IDSettings{
		MaxSeen:   1 << 18,
		MaxShapes: 256,
		MaxFlags:  16,
		OwnKeys: []string{
			"idempotency", "nonce", "request", "correlation", "trace", "span", "client", "new", "temp", "tmp", "call", "event", "message",
			"dedup", "deduplication",
		},
		NotIDs: []string{"phone", "fax", "mobile", "zip", "postal", "version", "line", "page", "port", "year", "card", "model"},
	}
}

// IDs finds ids in the arguments of one conversation's calls that appeared nowhere in it before. It errs on the side of
// silence: see docs/decisions/072. It keeps hashes of pieces of text, never the text. It is for one goroutine at a time.
type IDs struct {
	digester events.Digester
	settings IDSettings
	seed     maphash.Seed
	seen     map[uint64]struct{}
	// shapes counts, up to 2, the different ids of a shape that results had.
	shapes map[string]uint8
}

// NewIDs returns the tracker of one conversation.
func NewIDs(d events.Digester, s IDSettings) *IDs {
	if s.MaxSeen == 0 {
		values := s.IncludeValues
		s = DefaultIDSettings()
		s.IncludeValues = values
	}
	return &IDs{
		digester: d, settings: s, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}, shapes: map[string]uint8{},
	}
}

// See remembers a text that the model has read: a message of the user, the system prompt, a tool's definition.
func (t *IDs) See(text string) {
	t.seeRuns(text)
	if strings.Contains(text, `\`) { // JSON inside JSON: the n of \nABC123 is not part of the id
		t.seeRuns(unescape.Replace(text))
	}
}

var unescape = strings.NewReplacer(`\n`, " ", `\t`, " ", `\r`, " ", `\"`, " ", `\/`, " ", `\\`, " ")

// Learn remembers the result of a call, and the shapes of the ids in it when it is JSON.
func (t *IDs) Learn(result string) {
	t.learnShapes([]byte(result))
	t.See(result)
}

// Check returns the ids in a call's arguments that were not seen before; nil when there are none or too much was seen to say.
func (t *IDs) Check(args jsontext.Value) []events.MadeUpID {
	if t.full() {
		return nil
	}
	var found []events.MadeUpID
	walkValues(args, func(pointer jsontext.Pointer, text string, number bool) bool {
		if t.isID(pointer, text, number) && !t.wasSeen(text) {
			m := events.MadeUpID{Path: string(pointer), Digest: t.digester.Short([]byte(text))}
			if t.settings.IncludeValues {
				m.Value = text
			}
			found = append(found, m)
		}
		return len(found) < t.settings.MaxFlags
	})
	return found
}

func (t *IDs) full() bool { return len(t.seen) >= t.settings.MaxSeen }

func (t *IDs) add(piece string) {
	if !t.full() {
		t.seen[t.hash(piece)] = struct{}{}
	}
}

func (t *IDs) has(piece string) bool {
	_, ok := t.seen[t.hash(piece)]
	return ok
}

func (t *IDs) hash(piece string) uint64 { return maphash.String(t.seed, piece) }

// learnShapes learns from the strings of a JSON result that stand under a name that says id.
func (t *IDs) learnShapes(result []byte) {
	walkValues(result, func(pointer jsontext.Pointer, text string, number bool) bool {
		if number || !isIDKey(keyWords(pointer)) || !couldBeID(text) || t.has(joined(text)) {
			return true
		}
		shape := shapeOf(text)
		if n, known := t.shapes[shape]; (known || len(t.shapes) < t.settings.MaxShapes) && n < learnedFrom {
			t.shapes[shape] = n + 1
			t.add(joined(text))
		}
		return true
	})
}

// learnedFrom is how many different ids make a shape.
const learnedFrom = 2

// maxDepth is how deep arguments and results are looked into.
const maxDepth = 64

// walkValues calls fn with each string and number of a JSON value until it returns false or the value ends or breaks.
func walkValues(v []byte, fn func(p jsontext.Pointer, text string, number bool) bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return
		}
		if dec.StackDepth() > maxDepth {
			return
		}
		kind := tok.Kind()
		if kind != '"' && kind != '0' {
			continue
		}
		if k, n := dec.StackIndex(dec.StackDepth()); k == '{' && n%2 == 1 {
			continue // a member's name
		}
		if !fn(dec.StackPointer(), tok.String(), kind == '0') {
			return
		}
	}
}
