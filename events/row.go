package events

// Row is an event together with its place in the stream that it came from.
type Row struct {
	// Seq is the stream sequence of the message that held the event.
	Seq uint64
	// Pos is the event's line in that message, from 0; see [Lines].
	Pos uint32
	// Event is the event itself.
	Event *Event
}
