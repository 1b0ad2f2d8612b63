package capture

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

// EventID derives the id of an event from what it says: its kind, its conversation, and parts that tell it from the others of
// that kind there, such as an ordinal or a digest. It is a UUID of version 8: SHA-256 over the parts with their lengths.
func EventID(kind events.Kind, conversation string, parts ...string) string {
	h := sha256.New()
	writePart := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		_, _ = h.Write(n[:])
		_, _ = h.Write([]byte(s))
	}
	writePart("tooltrail capture 1")
	writePart(string(kind))
	writePart(conversation)
	for _, p := range parts {
		writePart(p)
	}
	var id uuid.UUID
	copy(id[:], h.Sum(nil))
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}
