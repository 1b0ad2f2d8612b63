package capture

import "strings"

// meet takes note of what the model has read and no request shows: an explicit cache's content, or what came before a conversation
// whose beginning is not known.
func (t *turn) meet() {
	if t.req.CachedContent != "" || t.req.PreviousResponseID != "" && len(t.m.messages) == 0 {
		t.m.ids.Blind()
	}
}

// hear takes what the provider's own tools gave the model in the answer, before the calls that come after it. A stream of answers with such tools
// is not put together: what they gave is not known.
func (t *turn) hear() {
	a := t.answer
	if a.raw != nil {
		t.m.ids.SeeResponse(a.raw)
	}
	if isObject(a.raw) {
		return
	}
	for _, st := range a.steps {
		if st.call != nil && st.call.provider && !strings.HasPrefix(st.call.name, "tool_search") {
			t.m.ids.Blind()
		}
	}
}
