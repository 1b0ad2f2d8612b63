package capture

import "container/list"

// lru is a map that holds at most so many entries and forgets the one that was not asked for longest.
type lru[K comparable, V any] struct {
	limit   int
	entries map[K]*list.Element
	order   list.List // of *entry, the latest first
	// evicted is told what is forgotten; it may be nil.
	evicted func(V) error
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](limit int, evicted func(V) error) *lru[K, V] {
	return &lru[K, V]{limit: limit, entries: map[K]*list.Element{}, evicted: evicted}
}

// get returns an entry and makes it the latest.
func (l *lru[K, V]) get(key K) (V, bool) {
	e, ok := l.entries[key]
	if !ok {
		var zero V
		return zero, false
	}
	l.order.MoveToFront(e)
	return e.Value.(*entry[K, V]).value, true
}

// put sets an entry, makes it the latest, and forgets another where there are too many.
func (l *lru[K, V]) put(key K, value V) error {
	if e, ok := l.entries[key]; ok {
		e.Value.(*entry[K, V]).value = value
		l.order.MoveToFront(e)
		return nil
	}
	l.entries[key] = l.order.PushFront(&entry[K, V]{key, value})
	if len(l.entries) <= l.limit {
		return nil
	}
	return l.drop(l.order.Back())
}

// clear forgets all, the oldest first.
func (l *lru[K, V]) clear() error {
	for e := l.order.Back(); e != nil; e = l.order.Back() {
		if err := l.drop(e); err != nil {
			return err
		}
	}
	return nil
}

func (l *lru[K, V]) drop(e *list.Element) error {
	old := l.order.Remove(e).(*entry[K, V])
	delete(l.entries, old.key)
	if l.evicted == nil {
		return nil
	}
	return l.evicted(old.value)
}
