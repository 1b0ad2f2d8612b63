package drift

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
)

// operationIDs gives each tool an id of letters, digits, - and _; those that would be equal are told apart by digests of their names.
func operationIDs(docs []*Document) map[Key]string {
	taken := map[string]int{}
	out := map[Key]string{}
	for _, d := range docs {
		id := plainName(d.Tool)
		if d.Server != "" {
			id = plainName(d.Server) + "_" + id
		}
		if _, ok := out[d.Key()]; !ok {
			out[d.Key()] = id
			taken[id]++
		}
	}
	for key, id := range out {
		if taken[id] > 1 {
			sum := sha256.Sum256([]byte(key.Server + "\x00" + key.Tool))
			out[key] = id + "_" + hex.EncodeToString(sum[:6])
		}
	}
	return out
}

// plainName replaces what can't be in an id.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}

// toolPath is /tools/SERVER/TOOL, and /tools/TOOL for an agent's own.
func toolPath(k Key) string {
	if k.Server == "" {
		return "/tools/" + escapedName(k.Tool)
	}
	return "/tools/" + escapedName(k.Server) + "/" + escapedName(k.Tool)
}

// escapedName escapes a name; one of dots alone would be taken for a directory.
func escapedName(s string) string {
	if strings.Trim(s, ".") == "" {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}
