package drift

// Schemas knows the documents of tools, as a registry does: for examples of what calls should look like, sunsets and canaries.
type Schemas interface {
	// Documents returns what is known of each tool. The caller changes nothing of it.
	Documents() []*Document
}

// DocumentList is a list of documents as [Schemas].
type DocumentList []*Document

// Documents returns the list.
func (l DocumentList) Documents() []*Document { return l }

// documentsOf returns the documents by their tool; of a nil s there are none.
func documentsOf(s Schemas) map[Key]*Document {
	all := map[Key]*Document{}
	if s == nil {
		return all
	}
	for _, d := range s.Documents() {
		if d != nil {
			all[d.Key()] = d
		}
	}
	return all
}
