package capture

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/activation"
)

// read remembers what the model reads of a message: all of it but for the model's own words, results that came with them included.
func (m *mind) read(role string, raw jsontext.Value) {
	if role != "assistant" && role != "model" {
		m.see(raw)
		if activation.IsUnreadable(raw) {
			m.ids.Blind()
		}
		return
	}
	elements(member(raw, "content"), func(part jsontext.Value) {
		if strings.HasSuffix(stringOf(member(part, "type")), "_result") {
			m.see(part)
		}
	})
}

// meet takes note of what the model has read and no request shows: an explicit cache's content, or what came before a conversation
// whose beginning is not known.
func (t *turn) meet() {
	if t.req.CachedContent != "" || t.req.PreviousResponseID != "" && len(t.m.messages) == 0 {
		t.m.ids.Blind()
	}
}
