package prefix

import (
	"slices"
	"strings"

	"github.com/tooltrail/tooltrail/events"
)

// Names of what counts as a parameter though no one member of a body says it.
const (
	paramImages    = "images"
	paramCitations = "citations"
	paramWebSearch = "web_search"
)

// derivedOn is what a derived parameter is a digest of: it is on, or it is not there.
const derivedOn = "true"

// param reads a value and keeps its digest, where the table of rules has it at any provider; [splitter.keepParams] leaves those of the
// request's provider. A parameter that is null is one that was not sent.
func (s *splitter) param(name string) error {
	if !paramNamed(name) {
		return s.members(name)
	}
	v, err := s.value()
	if err != nil {
		return err
	}
	if s.forget(name); v[0] == 'n' {
		return nil
	}
	canonical, err := events.Canonical(v)
	if err != nil { // such as a name twice: the bytes must do
		canonical = v
	}
	s.keep(name, canonical)
	return nil
}

// members reads an object whose members may be parameters, and skips any other value.
func (s *splitter) members(object string) error {
	if s.peek() != '{' || !params.objects[object] {
		return s.skip()
	}
	return s.each(func(name []byte, from int) error {
		full := object + "." + string(name)
		err := s.param(full)
		s.layout.param(full, from, s.at)
		return err
	})
}

// forget drops a parameter: of two with one name the later counts.
func (s *splitter) forget(name string) {
	s.req.Params = slices.DeleteFunc(s.req.Params, func(p events.Param) bool { return p.Name == name })
}

// keep notes a parameter.
func (s *splitter) keep(name string, value []byte) {
	s.req.Params = append(s.req.Params, events.Param{Name: name, Digest: s.digester.Short(value)})
}

// keepParams adds what is derived, and leaves out what invalidates nothing at the request's provider.
func (s *splitter) keepParams() {
	r := &s.req
	for _, derived := range []struct {
		saw  sights
		name string
	}{{sawImage, paramImages}, {sawCitations, paramCitations}, {sawWebSearch, paramWebSearch}} {
		if s.saw&derived.saw != 0 {
			s.keep(derived.name, []byte(derivedOn))
		}
	}
	r.Params = invalidating(r.Provider, r.API, r.Params)
}

// invalidating returns the parameters whose change can invalidate a cache at a provider, sorted by name. It reorders list.
func invalidating(provider string, api API, list []events.Param) []events.Param {
	list = slices.DeleteFunc(list, func(p events.Param) bool {
		_, ok := invalidates(provider, api, p.Name)
		return !ok
	})
	if len(list) == 0 {
		return nil
	}
	slices.SortFunc(list, func(a, b events.Param) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// webSearch is how the type of Anthropic's web search begins; a date follows.
const webSearch = "web_search_"
