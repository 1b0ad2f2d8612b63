package drift

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"strconv"
)

// DefaultCanaryShare is the share of conversations that a new version gets before it goes to all (docs/design.md).
const DefaultCanaryShare = 0.10

// The cohorts of calls while a canary is under way.
const (
	CohortCanary   = "canary"
	CohortBaseline = "baseline"
)

// Chooses reports whether a conversation uses the canary's version: where the first 8 bytes, big endian, of the SHA-256 of the hash key,
// a slash and the conversation's id, over 2^64, are under the share. Any language can do the same. A call of no conversation is not chosen.
func (c *Canary) Chooses(conversation string) bool {
	if c == nil || conversation == "" {
		return false
	}
	if c.Share >= 1 {
		return true
	}
	sum := sha256.Sum256([]byte(c.HashKey + "/" + conversation))
	return binary.BigEndian.Uint64(sum[:8]) < c.below()
}

// below is the share times 2^64; the share is less than 1.
func (c *Canary) below() uint64 {
	return uint64(math.Ldexp(max(c.Share, 0), 64))
}

// StartCanary gives a version to a share of conversations; 0 is [DefaultCanaryShare]. An empty hash key is made of the tool, the version
// and the time, so that each canary chooses other conversations. There is one canary at a time, beside an active version. From then on people
// decide which version is active (Managed).
func (d *Document) StartCanary(version string, share float64, hashKey string, e Edit) (changed bool, err error) {
	return d.edit(ActionStartCanary, version, e, func(n *Document) (bool, error) {
		i, err := n.known(version)
		if err != nil {
			return false, err
		}
		switch {
		case n.Canary != nil:
			return false, errCanary(n.Canary)
		case n.Versions[i].State == StateActive:
			return false, wrongAt("", "it is active already")
		}
		if share == 0 {
			share = DefaultCanaryShare
		}
		if hashKey == "" {
			hashKey = d.Key().String() + "/" + version + "/" + strconv.FormatInt(e.At.Unix(), 10)
		}
		n.enter(i, StateCanary, e.At)
		n.Canary = &Canary{Version: version, Share: share, HashKey: hashKey, StartedAt: e.At.UTC(), StartedBy: e.By}
		n.Managed = true
		return true, nil
	})
}

// PromoteCanary makes the canary's version the active one and ends the canary.
func (d *Document) PromoteCanary(e Edit) (changed bool, err error) {
	return d.endCanary(ActionPromoteCanary, e, func(n *Document, i int) { n.activate(i, e.At) })
}

// AbortCanary makes the canary's version a legacy one and ends the canary.
func (d *Document) AbortCanary(e Edit) (changed bool, err error) {
	return d.endCanary(ActionAbortCanary, e, func(n *Document, i int) { n.enter(i, StateLegacy, e.At) })
}

func (d *Document) endCanary(a Action, e Edit, end func(n *Document, i int)) (bool, error) {
	version := ""
	if d.Canary != nil {
		version = d.Canary.Version
	}
	return d.edit(a, version, e, func(n *Document) (bool, error) {
		if n.Canary == nil {
			return false, wrongAt("", "no canary is under way")
		}
		i, err := n.known(version)
		if err != nil {
			return false, err
		}
		end(n, i)
		n.Canary = nil
		return true, nil
	})
}
