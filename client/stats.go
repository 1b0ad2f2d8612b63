package client

// Reason says why events were dropped.
type Reason string

// The reasons for dropping an event.
const (
	// NotStarted is for the zero Client.
	NotStarted Reason = "not_started"
	// Closed is for what came after [Client.Close].
	Closed Reason = "closed"
	// BufferFull is for what found no room in the buffer.
	BufferFull Reason = "buffer_full"
	// TooLarge is for an event over 512 KiB or over the server's limit.
	TooLarge Reason = "too_large"
	// Invalid is for an event that breaks the contract or can't be encoded.
	Invalid Reason = "invalid"
	// Unacked is for what was sent, again and again, and not acknowledged in time. It may have been stored.
	Unacked Reason = "unacked"
	// Cancelled is for what [Client.Publish] was no longer waiting for. It may have been stored.
	Cancelled Reason = "cancelled"
)

// reasons is the order in which drops are counted and reported.
var reasons = [...]Reason{NotStarted, Closed, BufferFull, TooLarge, Invalid, Unacked, Cancelled}

// drops counts dropped events by reason, in the order of reasons.
type drops [len(reasons)]uint64

func (d *drops) add(r Reason, n int) {
	for i := range reasons {
		if reasons[i] == r {
			d[i] += uint64(n) //nolint:gosec // n >= 0
		}
	}
}

func (d *drops) total() uint64 {
	var n uint64
	for _, k := range d {
		n += k
	}
	return n
}

// Stats says how a client does. Counts are since it started, heartbeats left out; Emitted is always the sum of Acked, Dropped
// and Queued.
type Stats struct {
	// Emitted counts events given to Emit and Publish.
	Emitted uint64
	// Acked counts events that JetStream has acknowledged.
	Acked uint64
	// Dropped counts events by the reason for which they were lost.
	Dropped map[Reason]uint64
	// Queued counts events that wait to be sent or acknowledged.
	Queued uint64
	// QueuedBytes is about how much memory the events of Emit that wait take.
	QueuedBytes int64
	// Reconnects counts how often the connection came back.
	Reconnects uint64
	// Connected says whether the connection is up.
	Connected bool
}
