package prefix

// definition is what is read of one element of a tools array. It has what [events.ParseTool] says, read in the one pass, and of what that
// refuses as much as there is.
type definition struct {
	span
	name, kind    []byte
	label, server []byte // names of MCP servers
	// wrapper is the object that has the name (function, toolSpec, systemTool), by its rank; 0 for none.
	wrapper int
	wrapped []byte // the name in it
	// object is the name of its last member that is an object, members the number of members that are no markers.
	object   []byte
	members  int
	deferred bool
	schema   bool // it has an input_schema
	declares bool // it is a list of declarations, which are read already
	point    bool // it has a cachePoint
	ttls     []int64
}

// How far outside a definition lies: in the tools array, in a list in an element of that, or in the definition itself.
type position int

const (
	inArray position = iota
	inList
	inWrapper
)

// title is the name that the model calls the tool by, or what stands for it.
func (d *definition) title() string {
	name := d.name
	if d.wrapper > 0 {
		name = d.wrapped
	}
	switch {
	case len(name) > 0:
		return string(name)
	case len(d.label) > 0:
		return string(d.label)
	case len(d.server) > 0:
		return string(d.server)
	case len(d.kind) > 0 && string(d.kind) != "function" && string(d.kind) != "custom":
		return string(d.kind)
	case d.members == 1 && len(d.object) > 0 && string(d.object) != "function" && string(d.object) != "toolSpec":
		return string(d.object)
	}
	return unnamedTool
}

// definition reads a definition and notes the stretches that its digest leaves out.
func (s *splitter) definition(where position) (definition, error) {
	next := s.peek()
	d := definition{span: span{from: s.at}}
	if next != '{' {
		err := s.skip()
		d.to = s.at
		return d, err
	}
	kept := -1
	err := s.each(func(name []byte, from int) error {
		if s.peek() == '{' {
			d.object = name
		}
		value := s.at
		cut, err := s.toolMember(&d, where, name)
		if err != nil {
			return err
		}
		if cut {
			s.cut(kept, from)
			return nil
		}
		d.members++
		kept = s.at
		if where == inArray && !isDeclarations(name) {
			s.array.others = append(s.array.others, otherMember{name, span{value, s.at}})
		}
		return nil
	})
	d.to = s.at
	return d, err
}

func isDeclarations(name []byte) bool {
	return string(name) == "functionDeclarations" || string(name) == "function_declarations"
}

// toolMember reads the value of one member and reports whether it is a marker, to be cut.
func (s *splitter) toolMember(d *definition, where position, name []byte) (cut bool, err error) {
	switch string(name) {
	case "name":
		return false, s.text(&d.name)
	case "type":
		return false, s.text(&d.kind)
	case "server_label":
		return false, s.text(&d.label)
	case "mcp_server_name":
		return false, s.text(&d.server)
	case "defer_loading":
		v, err := s.value()
		d.deferred = d.deferred || string(v) == "true"
		return false, err
	case "input_schema":
		d.schema = true
		return false, s.skip()
	case "cache_control", "prompt_cache_breakpoint":
		return true, s.marker(name, &d.ttls)
	}
	if where != inWrapper {
		return false, s.outerMember(d, where, name)
	}
	return false, s.skip()
}

// outerMember reads the value of a member that only a whole definition, or a list of some, has.
func (s *splitter) outerMember(d *definition, where position, name []byte) error {
	switch string(name) {
	case "function":
		return s.wrapper(d, 3)
	case "toolSpec":
		return s.wrapper(d, 2)
	case "systemTool":
		return s.wrapper(d, 1)
	case "cachePoint":
		return s.point(&d.point, &d.ttls)
	}
	if where == inArray && s.peek() == '[' {
		switch string(name) {
		case "functionDeclarations", "function_declarations":
			return s.declarations(d)
		case "tools":
			return s.innerTools()
		}
	}
	return s.skip()
}

// wrapper reads an object that has a tool's name.
func (s *splitter) wrapper(d *definition, rank int) error {
	if s.peek() != '{' {
		return s.skip()
	}
	cuts := len(s.cuts)
	in, err := s.definition(inWrapper)
	if rank >= d.wrapper {
		d.wrapper, d.wrapped = rank, in.name
	}
	if rank == 1 { // the wire digest keeps what a systemTool says
		s.cuts = s.cuts[:cuts]
		return err
	}
	d.deferred = d.deferred || in.deferred
	d.ttls = append(d.ttls, in.ttls...)
	return err
}

// declarations reads Gemini's list of functions, each of which is a tool.
func (s *splitter) declarations(d *definition) error {
	return s.items(func() error {
		d.declares = true
		cuts := len(s.cuts)
		f, err := s.definition(inList)
		if err == nil {
			s.add(&f, s.cuts[cuts:])
			s.mark(partTools, len(s.req.Tools)-1, f.ttls)
		}
		s.cuts = s.cuts[:cuts]
		return err
	})
}

// innerTools reads the tools of a namespace.
func (s *splitter) innerTools() error {
	kept := -1
	return s.items(func() error {
		f, err := s.definition(inList)
		if err != nil {
			return err
		}
		cuts := len(s.cuts)
		s.cut(kept, f.from)
		s.array.inner = append(s.array.inner, innerTool{f, s.cuts[cuts]})
		s.cuts = s.cuts[:cuts]
		if !f.deferred {
			kept = s.at
		}
		return nil
	})
}
