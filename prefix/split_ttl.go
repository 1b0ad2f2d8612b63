package prefix

import "time"

// defaultTTL is how long a cache_control or cachePoint marker without a ttl keeps, in seconds.
// Anthropic, prompt caching guide, and Amazon Bedrock, CachePointBlock: five minutes.
const defaultTTL = 300

// markerTTL is the lifetime that a cache_control or cachePoint object gives, in seconds.
func markerTTL(marker []byte) int64 {
	if s := ttlSeconds(memberOf(marker, "ttl")); s > 0 {
		return s
	}
	return defaultTTL
}

// memberTTL is the lifetime of a marker that is a member of a block. An OpenAI breakpoint that gives none inherits the request's.
func memberTTL(name, marker []byte) int64 {
	if string(name) == "prompt_cache_breakpoint" {
		return ttlSeconds(memberOf(marker, "ttl"))
	}
	return markerTTL(marker)
}

// memberOf returns the value of a member of a JSON object, nil when v is none or lacks it.
func memberOf(v []byte, want string) (found []byte) {
	s := scanner{body: v}
	if s.peek() != '{' {
		return nil
	}
	err := s.each(func(name []byte, _ int) error {
		value, err := s.value()
		if string(name) == want {
			found = value
		}
		return err
	})
	if err != nil {
		return nil
	}
	return found
}

// ttlSeconds reads a lifetime such as "5m", "1h", "30m" or "120s"; 0 when it is none.
func ttlSeconds(v []byte) int64 {
	if len(v) < 2 || v[0] != '"' {
		return 0
	}
	d, err := time.ParseDuration(string(unescaped(v)))
	if err != nil || d < 0 {
		return 0
	}
	return int64(d / time.Second)
}
