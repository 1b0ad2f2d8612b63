package activation

import (
	"sync"

	"github.com/tooltrail/tooltrail/events"
)

// RosterCache shares the indices of rosters of the same content. It may be used by several goroutines at once.
type RosterCache struct {
	settings Settings
	most     int

	mu        sync.Mutex
	byContent map[uint64]*Roster
	tools     int
}

// NewRosterCache returns an empty cache that holds rosters of at most so many tools together; when it is full it begins anew. A tool takes
// about half a kilobyte.
func NewRosterCache(s Settings, mostTools int) *RosterCache {
	return &RosterCache{settings: s, most: mostTools, byContent: map[uint64]*Roster{}}
}

// Get returns the index of a content that is held; nil where it is not.
func (c *RosterCache) Get(content uint64) *Roster {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byContent[content]
}

// Of returns the index of an event's roster.
func (c *RosterCache) Of(content uint64, e *events.ToolRoster) *Roster {
	if r := c.Get(content); r != nil {
		return r
	}
	r := RosterOf(e, nil, c.settings)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tools+len(e.Tools) > c.most {
		clear(c.byContent)
		c.tools = 0
	}
	c.byContent[content] = r
	c.tools += len(e.Tools)
	return r
}
