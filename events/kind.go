package events

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Kind is what an event is about; it is the last token of its subject and part of its CloudEvents type.
type Kind string

// The six kinds.
const (
	KindToolCall        Kind = "tool_call"
	KindActivation      Kind = "activation"
	KindRequestPrefix   Kind = "request_prefix"
	KindToolRoster      Kind = "tool_roster"
	KindToolDefinition  Kind = "tool_definition"
	KindClientHeartbeat Kind = "client_heartbeat"
)

// Kinds lists all kinds in the order of the documentation.
func Kinds() []Kind {
	return []Kind{KindToolCall, KindActivation, KindRequestPrefix, KindToolRoster, KindToolDefinition, KindClientHeartbeat}
}

const (
	typePrefix = "dev.tooltrail."
	typeSuffix = ".v1"
)

// Type returns the CloudEvents type of k, dev.tooltrail.KIND.v1.
func (k Kind) Type() string { return typePrefix + string(k) + typeSuffix }

// Valid reports whether k is one of [Kinds].
func (k Kind) Valid() bool {
	switch k {
	case KindToolCall, KindActivation, KindRequestPrefix, KindToolRoster, KindToolDefinition, KindClientHeartbeat:
		return true
	}
	return false
}

// KindOfType returns the kind whose CloudEvents type is t, and false when there is none.
func KindOfType(t string) (Kind, bool) {
	s, ok := strings.CutPrefix(t, typePrefix)
	if !ok {
		return "", false
	}
	s, ok = strings.CutSuffix(s, typeSuffix)
	k := Kind(s)
	return k, ok && k.Valid()
}

// SubjectPrefix starts every event subject: tooltrail.v1.PARTITION.KIND.
const SubjectPrefix = "tooltrail.v1."

// FindingsSubject carries new findings as JSON; it is not part of the event stream.
const FindingsSubject = SubjectPrefix + "findings"

// HistoryHeader is a header of messages whose events are of long ago, such as those of a file that is imported: they are stored as all are,
// and what acts on calls as they come, the breaker, passes over them. Any value but none says so.
const HistoryHeader = "Tooltrail-History"

// Subject returns the subject of kind k in a partition.
func Subject(partition int, k Kind) string {
	return SubjectPrefix + strconv.Itoa(partition) + "." + string(k)
}

// ParseSubject splits an event subject into partition and kind.
func ParseSubject(subject string) (partition int, k Kind, err error) {
	rest, ok := strings.CutPrefix(subject, SubjectPrefix)
	if !ok {
		return 0, "", fmt.Errorf("parse subject %q: want the prefix %s", subject, SubjectPrefix)
	}
	p, kind, ok := strings.Cut(rest, ".")
	if !ok {
		return 0, "", fmt.Errorf("parse subject %q: want %sPARTITION.KIND", subject, SubjectPrefix)
	}
	n, err := strconv.Atoi(p)
	if err != nil || n < 0 {
		return 0, "", fmt.Errorf("parse subject %q: partition %q is not a number", subject, p)
	}
	k = Kind(kind)
	if !k.Valid() {
		return 0, "", fmt.Errorf("parse subject %q: unknown kind %q", subject, kind)
	}
	return n, k, nil
}

// Partition returns the partition of a conversation among n, by FNV-1a, so that one conversation stays in order. Events of no
// conversation go to partition 0.
func Partition(conversationID string, n int) int {
	if n <= 1 || conversationID == "" {
		return 0
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(conversationID))
	return int(h.Sum32() % uint32(n)) //nolint:gosec // n > 1
}
