package activation

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/go-json-experiment/json/jsontext"
)

// LintCost are the assumptions that estimates of tokens rest on, by the names that they have in the settings file and in reports. They are ours:
// measure your agent and set them. The zero LintCost is [DefaultLintCost].
type LintCost struct {
	// BytesPerToken is how many bytes of text and JSON make a token; zero is the default, 4, a rough one for English and all models.
	BytesPerToken float64 `json:"bytes_per_token" yaml:"bytes_per_token"`
	// LoadShare is the share of conversations in which a tool is loaded, from 0 to 1.
	LoadShare float64 `json:"load_share" yaml:"load_share"`
	// LoadTokens is what one load takes beside the definition: the call, its answer.
	LoadTokens int64 `json:"load_tokens" yaml:"load_tokens"`
	// SearchTool is the definition of a tool that searches tools, and how to use it.
	SearchTool int64 `json:"search_tool_tokens" yaml:"search_tool_tokens"`
	// Searches is how often a conversation searches, and SearchHits how many tools an answer lists.
	Searches   int64 `json:"searches" yaml:"searches"`
	SearchHits int64 `json:"search_hits" yaml:"search_hits"`
	// SearchTokens is what one search takes beside its hits.
	SearchTokens int64 `json:"search_tokens" yaml:"search_tokens"`
}

// DefaultLintCost returns assumptions for an agent that uses few of its tools in a conversation.
func DefaultLintCost() LintCost {
	return LintCost{BytesPerToken: 4, LoadShare: 0.1, LoadTokens: 80, SearchTool: 300, Searches: 4, SearchHits: 5, SearchTokens: 100}
}

// Validate reports assumptions that make no sense, each by its name in the settings file.
func (c LintCost) Validate() error { return c.orDefault().check() }

// check is [LintCost.Validate] where zero stands for nothing else.
func (c LintCost) check() error {
	var errs []error
	if b := c.BytesPerToken; !(b >= minBytesPerToken) || math.IsInf(b, 1) {
		errs = append(errs, fmt.Errorf("bytes_per_token %v is under %d or no number", b, minBytesPerToken))
	}
	if !isShare(c.LoadShare) {
		errs = append(errs, fmt.Errorf("load_share %v is not from 0 to 1", c.LoadShare))
	}
	return errors.Join(append(errs, checkLeast("load_tokens", c.LoadTokens, 0), checkLeast("search_tool_tokens", c.SearchTool, 0),
		checkLeast("searches", c.Searches, 0), checkLeast("search_hits", c.SearchHits, 0), checkLeast("search_tokens", c.SearchTokens, 0))...)
}

// minBytesPerToken is the least that makes sense: a token is at least a byte.
const minBytesPerToken = 1

// orDefault returns the defaults for the zero LintCost, and for bytes per token that are zero.
func (c LintCost) orDefault() LintCost {
	d := DefaultLintCost()
	if c == (LintCost{}) {
		return d
	}
	c.BytesPerToken = cmp.Or(c.BytesPerToken, d.BytesPerToken)
	return c
}

// LintSize is how much a roster takes beside all definitions. Tokens are an estimate, see [LintCost.BytesPerToken].
type LintSize struct {
	RosterBytes      int64 `json:"roster_bytes"`
	RosterTokens     int64 `json:"roster_tokens"`
	DefinitionBytes  int64 `json:"definition_bytes"`
	DefinitionTokens int64 `json:"definition_tokens"`
	// UpFront are the tools whose definitions cost less than their lines and the loads of them.
	UpFront []string `json:"up_front"`
	// SearchFrom is from how many tools of this size on a search takes fewer tokens than a roster; 0 where there are no tools.
	SearchFrom int64 `json:"search_from"`
	// Cost are the assumptions of UpFront and SearchFrom.
	Cost LintCost `json:"assumptions"`
}

// tokens estimates the tokens of some bytes.
func (c LintCost) tokens(bytes int64) int64 {
	return int64(math.Ceil(float64(bytes) / c.BytesPerToken))
}

// size estimates tokens.
func (l *linter) size() {
	s := &l.report.Size
	s.Cost, s.UpFront = l.options.Cost, []string{}
	r := l.roster
	s.RosterBytes = int64(len(l.shown))
	var lines int64
	for _, e := range r.book().byName {
		t := textWriter{options: l.options.Text}
		t.tool(e)
		line, def := int64(t.b.Len()), compactBytes(e.definition)
		lines, s.DefinitionBytes = lines+line, s.DefinitionBytes+def
		if e.wrong == nil && s.Cost.upFront(s.Cost.tokens(line), s.Cost.tokens(def), 1) {
			s.UpFront = append(s.UpFront, e.name)
		}
	}
	s.RosterTokens, s.DefinitionTokens = s.Cost.tokens(s.RosterBytes), s.Cost.tokens(s.DefinitionBytes)
	l.judgeSize(lines, int64(len(r.book().byName)))
}

// compactBytes is the length of a definition without insignificant white space, however a file is laid out: it is sent without.
func compactBytes(definition jsontext.Value) int64 {
	v := definition.Clone()
	if err := v.Compact(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return int64(len(definition))
	}
	return int64(len(v))
}

// upFront reports that n definitions cost less, loaded up front, than their lines and the loads of them.
func (c LintCost) upFront(lines, definitions int64, n int) bool {
	return float64(definitions) <= float64(lines)+c.LoadShare*float64(definitions+int64(n)*c.LoadTokens)
}

// judgeSize says which way to offer the tools is the cheapest.
func (l *linter) judgeSize(lines, n int64) {
	s := &l.report.Size
	if n == 0 {
		return
	}
	s.SearchFrom = s.Cost.searchFrom(float64(lines)/s.Cost.BytesPerToken/float64(n), s.Cost.tokens(s.RosterBytes-lines))
	if s.Cost.upFront(s.RosterTokens, s.DefinitionTokens, int(n)) {
		l.add(LintNote, LintAllUpFront, fmt.Sprintf("all definitions are about %d tokens and the roster is about %d: give the model all definitions, and no roster",
			s.DefinitionTokens, s.RosterTokens))
		return
	}
	if len(s.UpFront) > 0 {
		l.add(LintNote, LintUpFront, "the definition is so small that it is cheaper up front than as a line and loaded on demand: don't defer it", s.UpFront...)
	}
	if n >= s.SearchFrom {
		l.add(LintNote, LintSearch, fmt.Sprintf("there are %d, and from about %d of this size on a search takes fewer tokens than a roster; with a search a model "+
			"no longer sees what there is", n, s.SearchFrom))
	}
}

// searchFrom is how many lines of a size are longer, with the roster's fixed part, than the search tool and what searches answer.
func (c LintCost) searchFrom(line float64, fixed int64) int64 {
	if line <= 0 {
		return 0
	}
	search := float64(c.SearchTool) + float64(c.Searches)*(float64(c.SearchTokens)+float64(c.SearchHits)*line)
	return max(1, int64(math.Ceil((search-float64(fixed))/line)))
}
