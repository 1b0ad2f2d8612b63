package events

// DecodeFast is the fast path alone: nil for what it refuses or can't tell.
func DecodeFast(k Kind, line []byte) *Event { return decoders[k].fast(k, line) }
