package capture

// meet takes note of what the model has read and no request shows: an explicit cache's content, or what came before a conversation
// whose beginning is not known.
func (t *turn) meet() {
	if t.req.CachedContent != "" || t.req.PreviousResponseID != "" && len(t.m.messages) == 0 {
		t.m.ids.Blind()
	}
}
