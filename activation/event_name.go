package activation

// EventName returns a name as events have it: in UTF-8, what is not being the replacement character, and cut at 256 bytes. Names of calls, rosters
// and activations are cut alike, so that they can be compared; a name that a provider takes stays as it is.
func EventName(name string) string { return eventName(name) }
