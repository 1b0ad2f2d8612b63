package events

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"github.com/go-json-experiment/json/jsontext"
)

// Digester makes the digests that events carry. The zero Digester is plain SHA-256; with a Key digests are HMAC-SHA-256,
// since a bare hash of a short prompt can be guessed. All events of one deployment need the same key to be comparable.
type Digester struct {
	Key []byte
}

// New returns the hash that d uses.
func (d Digester) New() hash.Hash {
	if len(d.Key) == 0 {
		return sha256.New()
	}
	return hmac.New(sha256.New, d.Key)
}

// Full returns the digest of b as 64 hex digits.
func (d Digester) Full(b []byte) string { return d.sum(b, sha256.Size) }

// Short returns the first 16 bytes of the digest of b as 32 hex digits: what lists of blocks are made of.
func (d Digester) Short(b []byte) string { return d.sum(b, shortBytes) }

const shortBytes = 16

func (d Digester) sum(b []byte, n int) string {
	if len(d.Key) == 0 {
		s := sha256.Sum256(b)
		return hex.EncodeToString(s[:n])
	}
	h := d.New()
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil)[:n])
}

// Shorten cuts a full digest to a short one.
func Shorten(full string) string { return full[:min(len(full), 2*shortBytes)] }

// Canonical returns the RFC 8785 canonical form of a JSON value.
func Canonical(v jsontext.Value) (jsontext.Value, error) {
	c := v.Clone()
	if err := c.Canonicalize(); err != nil {
		return nil, &Error{Reason: "not JSON"}
	}
	return c, nil
}
