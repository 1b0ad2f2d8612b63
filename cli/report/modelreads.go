package report

import (
	"fmt"
	"slices"

	"github.com/tooltrail/tooltrail/prefix"
)

// ModelReads is what the requests of one model read from the cache.
type ModelReads struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// Requests counts those that reported what they read.
	Requests int64 `json:"requests"`
	// CouldRead counts those of them that go on from another request of the model and have a prompt of [LongEnough] tokens that the model does
	// not call too short.
	CouldRead int64 `json:"requests_that_could_read"`
	// Read and Written add up what came from the cache and what went into it; Written is nil where no request said so.
	Read    int64  `json:"read_tokens"`
	Written *int64 `json:"written_tokens"`
}

// LongEnough is how many tokens a prompt has, at the least, of which it is said that it could have been read from a cache: the shortest that most
// models cache, by the price table.
const LongEnough = 1024

// addReads counts a request to those of its model.
func (c *CacheTotals) addReads(r *JudgedRequest) {
	if r.Read == nil || r.Verdict == prefix.NoUsage {
		return
	}
	m := c.model(r.Provider, r.Model)
	m.Requests++
	m.Read = prefix.AddTokens(m.Read, *r.Read)
	addCount(&m.Written, r.Written)
	first := r.Verdict == prefix.ColdStart || r.Verdict == prefix.ConcurrentColdStart || r.Verdict == prefix.ModelChanged
	if !first && r.Verdict != prefix.BelowMinimum && r.Prompt != nil && *r.Prompt >= LongEnough {
		m.CouldRead++
	}
}

// model finds the row of a model, and adds it where it is not there.
func (c *CacheTotals) model(provider, model string) *ModelReads {
	at := slices.IndexFunc(c.Models, func(m ModelReads) bool { return m.Provider == provider && m.Model == model })
	if at < 0 {
		at = len(c.Models)
		c.Models = append(c.Models, ModelReads{Provider: provider, Model: model})
	}
	return &c.Models[at]
}

// addModels adds what the requests of models read.
func (c *CacheTotals) addModels(all []ModelReads) {
	for _, m := range all {
		to := c.model(m.Provider, m.Model)
		to.Requests += m.Requests
		to.CouldRead += m.CouldRead
		to.Read = prefix.AddTokens(to.Read, m.Read)
		addCount(&to.Written, m.Written)
	}
}

// addCount adds a number where it is known.
func addCount(total **int64, n *int64) {
	if n == nil {
		return
	}
	sum := *n
	if *total != nil {
		sum = prefix.AddTokens(sum, **total)
	}
	*total = &sum
}

// unreadTexts name the models of which nothing was ever read though it could have been.
func (c *CacheTotals) unreadTexts() []string {
	var texts []string
	for i := range c.Models {
		m := &c.Models[i]
		if m.Read > 0 || m.CouldRead == 0 {
			continue
		}
		text := fmt.Sprintf("Nothing was read from the cache in %s of %s, though %s of them %s on from an earlier one with a prompt that is long enough",
			Plural(m.Requests, "request"), modelName(m.Provider, m.Model), Count(m.CouldRead), verb(m.CouldRead, "goes", "go"))
		if m.Written != nil && *m.Written == 0 {
			text += "; nothing was written either: set cache markers, where the provider wants them"
		}
		texts = append(texts, text+".")
	}
	return texts
}
