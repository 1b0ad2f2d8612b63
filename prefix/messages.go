package prefix

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// An event holds a digest a message, and every request of a conversation repeats it, so a list longer than maxMessages has its
// oldest foldMessages entries folded into one entry "chain:N:HEX" (N messages, their chain digest). The chain digest of a
// list is that of the list without its last entry, hashed with that entry: it can be continued from any fold, which is how a
// list that was folded is still recognised as the extension of one that was not.
const (
	maxMessages  = 512
	foldMessages = 256
	chainPrefix  = "chain:"
)

// Messages grows the list of message digests of a conversation and keeps it short enough for an event. The zero Messages is
// empty. It is not for concurrent use.
type Messages struct {
	entries []string
	folded  int
}

// Append adds the digest of the next message.
func (m *Messages) Append(digest string) {
	m.entries = append(m.entries, digest)
	if len(m.entries) > maxMessages {
		m.fold()
	}
}

// fold replaces the oldest entries by one; lists given out before stay as they were.
func (m *Messages) fold() {
	n, sum := chainStart(m.entries)
	rest := m.entries
	if n > 0 {
		rest = rest[1:]
	}
	for _, d := range rest[:foldMessages] {
		sum = sum.next(d)
	}
	m.folded = n + foldMessages
	head := chainPrefix + strconv.Itoa(m.folded) + ":" + hex.EncodeToString(sum[:])
	m.entries = append([]string{head}, rest[foldMessages:]...)
}

// Len is the number of messages, folded ones too.
func (m *Messages) Len() int {
	if m.folded == 0 {
		return len(m.entries)
	}
	return m.folded + len(m.entries) - 1
}

// Truncate drops all messages after the first n. It reports false, and does nothing, where n lies in what was folded.
func (m *Messages) Truncate(n int) bool {
	keep := n
	if m.folded > 0 {
		keep = n - m.folded + 1
	}
	if n < m.folded || keep > len(m.entries) {
		return false
	}
	m.entries = slices.Clip(m.entries[:keep])
	return true
}

// Compact replaces all messages before the n-th by one, the summary. What lies in a fold is dropped with them.
func (m *Messages) Compact(n int, summary string) {
	keep := min(max(n, m.folded), m.Len())
	at := keep
	if m.folded > 0 {
		at = keep - m.folded + 1
	}
	*m = Messages{entries: append([]string{summary}, m.entries[at:]...)}
}

// List returns the list as it is now; it does not change when the conversation goes on.
func (m *Messages) List() []string { return slices.Clip(m.entries) }

// chain is the chain digest of a list of message digests.
type chain [16]byte

// next continues the chain with one more digest.
func (c chain) next(digest string) chain {
	buf := make([]byte, 0, 128)
	buf = append(buf, c[:]...)
	buf = append(buf, digest...)
	sum := sha256.Sum256(buf)
	return chain(sum[:len(c)])
}

// chainStart reads a folded first entry: how many messages it stands for, and their chain. It returns 0 and the empty chain
// for a list that was not folded.
func chainStart(list []string) (int, chain) {
	var sum chain
	if len(list) == 0 || !strings.HasPrefix(list[0], chainPrefix) {
		return 0, sum
	}
	count, digest, ok := strings.Cut(list[0][len(chainPrefix):], ":")
	n, err := strconv.Atoi(count)
	raw, herr := hex.DecodeString(digest)
	if !ok || err != nil || herr != nil || n <= 0 || len(raw) != len(sum) {
		return 0, sum
	}
	return n, chain(raw)
}
