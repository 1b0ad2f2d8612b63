package prefix

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// defaultTTL is how long a cache_control or cachePoint marker without a ttl keeps, in seconds.
// Anthropic, prompt caching guide, and Amazon Bedrock, CachePointBlock: five minutes.
const defaultTTL = 300

// markerTTL is the lifetime that a cache_control or cachePoint object gives, in seconds.
func markerTTL(marker jsontext.Value) int64 {
	if s := ttlSeconds(ttlOf(marker)); s > 0 {
		return s
	}
	return defaultTTL
}

// ttlOf returns the member ttl of a marker.
func ttlOf(marker jsontext.Value) jsontext.Value {
	dec := jsontext.NewDecoder(bytes.NewBuffer(marker), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != jsontext.KindBeginObject {
		return nil
	}
	for dec.PeekKind() == jsontext.KindString {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil
		}
		name := tok.String()
		v, err := dec.ReadValue()
		if err != nil {
			return nil
		}
		if name == "ttl" {
			return v.Clone()
		}
	}
	return nil
}

// ttlSeconds reads a lifetime such as "5m", "1h", "30m" or "120s"; 0 when it is none.
func ttlSeconds(v jsontext.Value) int64 {
	d, err := time.ParseDuration(unquote(v))
	if err != nil || d < 0 {
		return 0
	}
	return int64(d / time.Second)
}
