package client

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/drift"
)

// Errors of Definition.
var (
	// ErrNotRegistered is in the chain of the error for a tool that the registry has no active version of.
	ErrNotRegistered = errors.New("the tool is not registered")
	// ErrRegistryUnknown is in the chain of the error while the client has not read the registry yet, see [Client.WaitRegistry].
	ErrRegistryUnknown = errors.New("the registry is not known yet")
)

// Definition is the version of a tool that a conversation should see.
type Definition struct {
	Tool drift.Key
	// Version is the schema version's name.
	Version string
	// Definition is the tool's definition as it was registered, the caller's own copy.
	Definition jsontext.Value
	// Cohort is canary or baseline while a new version is on trial, else empty. It is empty, too, for a conversation that keeps a
	// version it saw before the trial began.
	Cohort string
	// Canary says that this version is the one on trial.
	Canary bool
}

// Definition returns the version of a tool that a conversation should see: the active one, or the canary's for the canary's share of
// conversations. A conversation keeps the version that it saw first for as long as that is not retired, so that activating another
// version does not change the tools of conversations under way, and with them the prompt's cached prefix; a canary's version it keeps only
// while the trial lasts, or once it has become active. Calls are judged by the active version all the same. What conversations saw is
// remembered in memory for the last 16,384 to 32,768 pairs of tool and conversation. An empty conversation keeps nothing.
//
// The error has [ErrNotRegistered] or [ErrRegistryUnknown] in its chain. An agent then uses the definition that it brings itself.
func (c *Client) Definition(tool drift.Key, conversation string) (Definition, error) {
	if c == nil || c.s == nil {
		return Definition{}, ErrNotStarted
	}
	ch, ok := c.choose(tool, conversation)
	if !ok && !c.know.documents.ever() {
		return Definition{}, fmt.Errorf("look up %s: %w", tool, ErrRegistryUnknown)
	}
	if !ok || ch.shown == nil {
		return Definition{}, fmt.Errorf("look up %s: %w", tool, ErrNotRegistered)
	}
	d := Definition{
		Tool: tool, Version: ch.shown.Version, Definition: slices.Clone(ch.shown.Definition), Cohort: ch.cohort,
		Canary: ch.shown.State == drift.StateCanary,
	}
	if conversation != "" {
		c.shown.set(seat{tool, conversation}, sight{d.Version, d.Canary})
	}
	return d, nil
}

// Definitions returns those of several tools, in their order, without those that can't be found; the error joins one for each of them.
func (c *Client) Definitions(conversation string, tools ...drift.Key) ([]Definition, error) {
	var all []Definition
	var failed []error
	for _, tool := range tools {
		d, err := c.Definition(tool, conversation)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		all = append(all, d)
	}
	return all, errors.Join(failed...)
}

// choice is what the registry says of a tool for a conversation.
type choice struct {
	doc *drift.Document
	// versions is what calls are judged by.
	versions *drift.Versions
	cohort   string
	// shown is the version that the conversation sees; nil when none is active.
	shown *drift.VersionEntry
}

// choose looks a tool up for a conversation; false when it is not registered.
func (c *Client) choose(tool drift.Key, conversation string) (choice, bool) {
	c.know.use(tool)
	r := c.know.registry
	ch := choice{doc: r.Document(tool)}
	ch.versions, ch.cohort = r.For(tool, conversation)
	if ch.doc == nil || ch.versions == nil {
		return choice{}, false
	}
	ch.shown = ch.doc.Version(ch.versions.Active.Name)
	saw, ok := c.shown.get(seat{tool, conversation})
	if !ok || saw.canary || saw.version == ch.versions.Active.Name {
		return ch, true
	}
	if kept := ch.doc.Version(saw.version); kept != nil && (kept.State == drift.StateActive || kept.State == drift.StateLegacy) {
		ch.keep(kept, r)
	}
	return ch, true
}

// keep shows a version that the conversation saw before. Beside a canary that would have chosen it, it belongs to no cohort.
func (ch *choice) keep(kept *drift.VersionEntry, r *drift.Registry) {
	ch.shown = kept
	if ch.cohort == drift.CohortCanary {
		ch.versions, _ = r.For(ch.doc.Key(), "")
	}
	ch.cohort = ""
}

// maxSights is how many sights the younger half of the memory holds.
const maxSights = 1 << 14

// seat is a tool in a conversation.
type seat struct {
	tool         drift.Key
	conversation string
}

// sight is the version that was shown there.
type sight struct {
	version string
	canary  bool
}

// sights remembers what conversations were shown, the youngest of them. The zero sights are empty.
type sights struct {
	mu         sync.Mutex
	young, old map[seat]sight
}

func (s *sights) get(at seat) (sight, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok := s.young[at]; ok {
		return v, true
	}
	v, ok := s.old[at]
	if ok {
		s.put(at, v)
	}
	return v, ok
}

func (s *sights) set(at seat, v sight) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(at, v)
}

// put adds a sight; when the young half is full it becomes the old one. The caller holds the lock.
func (s *sights) put(at seat, v sight) {
	if _, ok := s.young[at]; !ok && len(s.young) >= maxSights || s.young == nil {
		s.young, s.old = map[seat]sight{}, s.young
	}
	s.young[at] = v
}
