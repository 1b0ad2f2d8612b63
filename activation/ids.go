package activation

import (
	"hash/maphash"
	"iter"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// IDSettings bound what [IDs] keeps and say what it looks at. The zero IDSettings are [DefaultIDSettings].
type IDSettings struct {
	// MaxSeen is how many different pieces of text are kept a conversation, 8 bytes and the table's overhead each. Once there are
	// more, they are forgotten and nothing is called made up any more.
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
			"dedup", "deduplication", "dedupe", "external", "custom", "desired", "proposed", "suggested", "generated", "random", "seed", "session", "run",
		},
		NotIDs: []string{
			"phone", "telephone", "tel", "cell", "whatsapp", "fax", "mobile", "zip", "postal", "plz", "version", "line", "page", "port", "year", "card",
			"model", "max", "min", "since", "start", "end", "after", "before", "cursor", "offset", "limit", "amount", "total", "price", "cost", "budget", "quantity",
			"isbn",
		},
	}
}

// IDs finds ids in the arguments of one conversation's calls that appeared nowhere in it before. It errs on the side of
// silence: see docs/decisions/072. It keeps hashes of pieces of text, never the text. All of its methods may be called by several
// goroutines at once.
type IDs struct {
	digester events.Digester
	settings IDSettings
	seed     maphash.Seed

	mu     sync.Mutex
	seen   map[uint64]struct{}
	shapes map[string]shapeSeen
	ranges []idRange
	// blind says that nothing can be said any more: too much was seen, or something that could not be looked into.
	blind bool
	// met says that a request was seen.
	met bool
	// offered is what the last request said of tools that the provider runs, lastBody the request's hash; unheard says that there are some and that its
	// answer was not seen.
	offered  providerTools
	lastBody uint64
	unheard  bool
}

// NewIDs returns the tracker of one conversation.
func NewIDs(d events.Digester, s IDSettings) *IDs {
	if s.MaxSeen == 0 {
		values := s.IncludeValues
		s = DefaultIDSettings()
		s.IncludeValues = values
	}
	return &IDs{
		digester: d, settings: s, seed: maphash.MakeSeed(), seen: map[uint64]struct{}{}, shapes: map[string]shapeSeen{},
	}
}

// See remembers a text that the model has read: a message of the user, the system prompt, a tool's definition.
func (t *IDs) See(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.see(text)
}

func (t *IDs) see(text string) {
	if t.blind {
		return
	}
	text = plainLetters(text)
	t.seeRuns(text)
	t.seePowers(text)
	if plain := unescape(text); plain != text { // JSON inside JSON: the n of \nABC123 is not part of the id
		t.seeRuns(plain)
	}
}

// Blind says that the model has read what can't be looked into, such as a picture: nothing is called made up any more.
func (t *IDs) Blind() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.goBlind()
}

func (t *IDs) goBlind() {
	t.blind = true
	t.seen, t.shapes, t.ranges = nil, nil, nil
}

// Learn remembers the result of a call, and the shapes of the ids in it when it is JSON.
func (t *IDs) Learn(result string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.learnShapes([]byte(result))
	t.see(result)
}

// Check is [IDs.CheckCall] where the tool is not known.
func (t *IDs) Check(args jsontext.Value) []events.MadeUpID { return t.CheckCall("", args) }

// CheckCall returns the ids in the arguments of a call of a tool that were not seen before; nil when there are none or too much was seen to say.
// The tool's name says which ids the caller is to make up: id of create_task, but not of get_task.
func (t *IDs) CheckCall(tool string, args jsontext.Value) []events.MadeUpID {
	var found []events.MadeUpID
	for j := range t.JudgeCall(tool, args) {
		if j.Seen {
			continue
		}
		if found = append(found, j.MadeUpID); len(found) >= t.settings.MaxFlags {
			break
		}
	}
	return found
}

// JudgedID is a value that looks like an id, with its place; the value itself is there only where the settings say so.
type JudgedID struct {
	events.MadeUpID
	// Seen says that it appeared before.
	Seen bool
}

// Judge is [IDs.JudgeCall] where the tool is not known.
func (t *IDs) Judge(args jsontext.Value) iter.Seq[JudgedID] { return t.JudgeCall("", args) }

// JudgeCall yields the values in the arguments of a call of a tool that look like ids, in their order; none when too much was seen to say.
func (t *IDs) JudgeCall(tool string, args jsontext.Value) iter.Seq[JudgedID] {
	name := words(tool)
	return func(yield func(JudgedID) bool) {
		walkValues(args, func(w *walk, text string, number bool) bool {
			j, ok := t.judge(name, w, text, number)
			return !ok || yield(j)
		})
	}
}

// judge judges one value; ok is false where it is no id, or nothing can be said.
func (t *IDs) judge(tool []string, w *walk, text string, number bool) (j JudgedID, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blind || t.unheard || !t.isID(tool, w, text, number) {
		return JudgedID{}, false
	}
	j.Seen = t.wasSeen(text)
	j.Path, j.Digest = t.place(w), t.digester.Short([]byte(text))
	if t.settings.IncludeValues {
		j.Value = text
	}
	return j, true
}

// add remembers a piece; at the bound all is forgotten, and silence kept.
func (t *IDs) add(piece string) { t.addHash(t.hash(piece)) }

func (t *IDs) addHash(h uint64) {
	switch {
	case t.blind:
	case len(t.seen) >= t.settings.MaxSeen:
		t.goBlind()
	default:
		t.seen[h] = struct{}{}
	}
}

func (t *IDs) has(piece string) bool {
	_, ok := t.seen[t.hash(piece)]
	return ok
}

func (t *IDs) hash(piece string) uint64 { return maphash.String(t.seed, piece) }

// shapeSeen is what is known of a shape: the first id that had it, by its hash, and whether another had it too, which is what
// makes ids of it.
type shapeSeen struct {
	first uint64
	more  bool
}

// learnShapes learns from a JSON result's strings and numbers that stand under a name that says id, and from its lists of strings.
func (t *IDs) learnShapes(result []byte) {
	if t.blind {
		return
	}
	walkValues(result, func(w *walk, text string, number bool) bool {
		key := keyWords(w.pointer())
		listed := !number && w.listed()
		if (isIDKey(key) && (!number || isNumbersKey(key)) || listed) && couldBeID(text) {
			t.learnShape(shapeOf(text), t.hash(joined(text)))
		}
		return true
	})
}

func (t *IDs) learnShape(shape string, id uint64) {
	known, ok := t.shapes[shape]
	switch {
	case ok && known.first != id:
		known.more = true
		t.shapes[shape] = known
	case !ok && len(t.shapes) < t.settings.MaxShapes:
		t.shapes[shape] = shapeSeen{first: id}
	}
}
