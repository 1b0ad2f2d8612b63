package events

// Wire returns the wire digest alone of a tool definition, 64 hex digits: the cheap one of [ToolDigests]. Only a wire digest
// that was not seen before needs the other two.
func (d Digester) Wire(raw []byte) (string, error) {
	wire, err := withoutMembers(raw, "cache_control")
	if err != nil {
		return "", err
	}
	return d.Full(wire), nil
}
