package prefix

import "github.com/tooltrail/tooltrail/events"

// maxCaches is how many caches of one model, made by requests that did nothing else, are remembered in a conversation.
const maxCaches = 16

// madeCaches remembers the requests that made a cache and nothing else, by model: Gemini's explicit caches, and prompts sent ahead
// with no answer asked for.
type madeCaches map[cacheName][]*node

// add takes a request that has written to the cache, and neither read, nor sent anything else, nor answered.
func (m *madeCaches) add(n *node) {
	r := n.req
	if r.written() == 0 || r.CacheReadInputTokens.N > 0 || r.UncachedInputTokens.N > 0 ||
		r.OutputTokens != events.Tokens(0) {
		return
	}
	if *m == nil {
		*m = madeCaches{}
	}
	key := cacheKey(n)
	list := append((*m)[key], n)
	(*m)[key] = list[max(len(list)-maxCaches, 0):]
}

// find compares n with the latest request that made what n has read: only that tells, since n may name the cache in place of what
// it holds.
func (m *madeCaches) find(n *node, share float64) {
	list := (*m)[cacheKey(n)]
	read := n.req.CacheReadInputTokens.N
	for i := len(list) - 1; i >= 0; i-- {
		if n.apart(list[i]) || !n.sameModel(list[i]) {
			continue
		}
		made := list[i].req.written()
		if float64(read) >= share*float64(made) && float64(made) >= share*float64(read) {
			n.compare(list[i], reads)
			return
		}
	}
}

// cacheKey is the same for all versions of a model.
func cacheKey(n *node) cacheName { return cacheName{provider: n.name.provider, model: n.name.model} }
