package events

// Wire returns the wire digest alone of a tool definition, 64 hex digits: the cheap one of [ToolDigests]. Only a wire digest
// that was not seen before needs the other two.
func (d Digester) Wire(raw []byte) (string, error) {
	wire, err := Unmarked(raw)
	if err != nil {
		return "", err
	}
	return d.Full(wire), nil
}

// Unmarked returns a tool definition without its cache markers and otherwise byte by byte as it is: what wire digests are made of. It may
// be raw itself. What is not JSON is an [*Error].
func Unmarked(raw []byte) ([]byte, error) {
	out, err := withoutMembers(raw, "cache_control")
	if err != nil {
		return nil, err
	}
	return withoutMembers(out, "prompt_cache_breakpoint")
}
