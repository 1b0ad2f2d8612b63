package prefix

import (
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// Observed is one stored LLM request.
type Observed struct {
	// ID is the id of the event that told of it.
	ID string
	events.RequestPrefix

	// trail stands for Messages once they are shared; see share.
	trail *trail
}

// Judged is what [Judge] says of one request.
type Judged struct {
	// Request counts the model's answers in the conversation from 1: the turn where every request gives one, else the place in
	// order of start.
	Request int64
	Verdict Verdict
	// Secondary has every other reason that also holds, in the order of [Verdicts]. For an [OK] request these are changes
	// that cost nothing this time: a risk.
	Secondary []Verdict
	// Compared is the index of the request it was compared with, -1 when there is none.
	Compared int
	// Root is the index of the request that its chain of predecessors began with: its own when it has none.
	Root int
	// ExpectedRead is what should have come from the cache, in tokens; not known where usage does not say.
	ExpectedRead events.Count
	// TokensLost is ExpectedRead less what was read, for a break; 0 for a request that broke nothing; not known where usage
	// does not say.
	TokensLost events.Count
	// LostUSD is what the break cost beyond reading from the cache; not known without tokens or price.
	LostUSD events.Amount
	// CostUSD is what the whole request cost by the price table; not known without usage or price.
	CostUSD events.Amount
	// Gap is the time from the predecessor's end (its start where no end is known) to this start, never negative.
	Gap time.Duration
	// ClockBackwards says that the gap was negative and counts as zero.
	ClockBackwards bool
	// Tools are the tools that changed, Params the parameters; System and Message are the indexes of the first system block and
	// message that changed, -1 where none did.
	Tools   []ToolChange
	Params  []string
	System  int
	Message int
	// SystemRhythm says how the first system block that changed keeps changing.
	SystemRhythm Rhythm
	// Cause is what made the prefix change, where it is known, and CauseNames its tools or servers; for a deploy the two versions of
	// the agent.
	Cause      CauseKind
	CauseNames []string
	// Diagnosed is the verdict that the provider's own diagnosis stands for, "" where it gave none or it stands for no verdict.
	Diagnosed Verdict
	Agreement Agreement
	// Unseen are the parts of the prefix (tools, system, messages) that were not recorded of this request or of the one it is compared with;
	// they may have changed. It is nil for what is no break.
	Unseen []string
	// CouldRead is how many tokens could have come from the cache, had tools and system not changed, of a request of which none was to be
	// expected since its model was never seen to cache here; 0 for all others. It is no loss. CouldReadUSD is what they cost more for it.
	CouldRead    int64
	CouldReadUSD events.Amount
}

// reported says that the request's usage was given at all.
func (o *Observed) reported() bool {
	return o.UncachedInputTokens.Known || o.CacheReadInputTokens.Known || o.CacheWrite5mInputTokens.Known ||
		o.CacheWrite1hInputTokens.Known || o.OutputTokens.Known
}

// prompt is the length of the whole prompt in tokens, as far as it was reported.
func (o *Observed) prompt() int64 {
	return AddTokens(AddTokens(o.UncachedInputTokens.N, o.CacheReadInputTokens.N), o.written())
}

// written is what went into the cache; writesKnown tells none from not reported.
func (o *Observed) written() int64 {
	return AddTokens(o.CacheWrite5mInputTokens.N, o.CacheWrite1hInputTokens.N)
}

func (o *Observed) writesKnown() bool {
	return o.CacheWrite5mInputTokens.Known || o.CacheWrite1hInputTokens.Known
}

// usable says that the request got an answer, so that what it read and wrote can be expected in the cache.
func (o *Observed) usable() bool {
	if !o.reported() {
		return o.Status == events.StatusOK || o.Status == ""
	}
	return AddTokens(o.prompt(), o.OutputTokens.N) > 0
}

// end is when the request ended, its start where that is not known.
func (o *Observed) end() time.Time {
	if o.EndTime.IsZero() || o.EndTime.Unix() <= 0 {
		return o.StartTime
	}
	return o.EndTime
}
