package events

// KindDeadLetter is the kind of a [DeadLetter]. It is not one of [Kinds]: no agent sends it, and it has a stream of its own.
const KindDeadLetter Kind = "dead_letter"

// DeadLetterSubject carries dead letters: the refused bytes as the body, the rest in headers.
const DeadLetterSubject = "tooltrail.deadletters.v1"

// DeadLetter is one line of a message that could not be stored, and why. Its id is made from its place, so that the same line
// found twice is one dead letter.
type DeadLetter struct {
	// Subject is the subject that the message came on.
	Subject string `json:"subject"`
	// StreamSeq is the message's sequence in the event stream.
	StreamSeq uint64 `json:"stream_seq"`
	// StreamPos is the line in that message, from 0; see [Lines].
	StreamPos uint32 `json:"stream_pos"`
	// Reason says what is wrong. It quotes no value.
	Reason string `json:"reason"`
	// Path is a JSON pointer into the event, empty when the whole of it is meant.
	Path string `json:"path,omitzero"`
	// Payload is the line as it came.
	Payload []byte `json:"payload"`
}

// Kind returns [KindDeadLetter].
func (*DeadLetter) Kind() Kind { return KindDeadLetter }

// Common returns an empty context: a dead letter knows none.
func (*DeadLetter) Common() *Context { return &Context{} }
