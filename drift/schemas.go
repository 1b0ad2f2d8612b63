package drift

// Schemas knows the documents of tools, as a [Registry] does: for examples of what calls should look like, sunsets and canaries.
type Schemas interface {
	// Keys lists the tools that are known, in an order that does not change.
	Keys() []Key
	// Document returns what is known of a tool, nil when nothing is. The caller changes nothing of it.
	Document(k Key) *Document
}

// eachDocument calls fn with every document that s knows; of a nil s there are none.
func eachDocument(s Schemas, fn func(*Document)) {
	if s == nil {
		return
	}
	for _, k := range s.Keys() {
		if d := s.Document(k); d != nil {
			fn(d)
		}
	}
}

// example returns minimal valid arguments of a tool's active version, and nothing where there is no version or none could be made.
func example(s Schemas, k Key) string {
	if s == nil {
		return ""
	}
	d := s.Document(k)
	if d == nil || d.Active() == nil {
		return ""
	}
	schema, err := Compile(d.Active().Definition)
	if err != nil {
		return ""
	}
	args, err := schema.Example()
	if err != nil {
		return ""
	}
	return string(args)
}
