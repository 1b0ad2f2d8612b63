package stream

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Keys returns the keys that have a value, in no order, without reading the values.
func (b *Bucket) Keys(ctx context.Context) ([]string, error) {
	kv, err := b.open(ctx)
	if err != nil {
		return nil, err
	}
	w, stop, err := watch(ctx, kv, jetstream.IgnoreDeletes(), jetstream.MetaOnly())
	if err != nil {
		return nil, fmt.Errorf("list keys of bucket %s: %w", b.name, err)
	}
	defer stop()
	all, err := initial(ctx, w)
	if err != nil {
		return nil, fmt.Errorf("list keys of bucket %s: %w", b.name, err)
	}
	keys := make([]string, len(all))
	for i := range all {
		keys[i] = all[i].Key
	}
	return keys, nil
}

// SplitKey returns the names that [Key] made a key of; ok is false for a key that it did not make.
func SplitKey(key string) (names []string, ok bool) {
	for part := range strings.SplitSeq(key, ".") {
		name, ok := unescapeKey(part)
		if !ok {
			return nil, false
		}
		names = append(names, name)
	}
	again, err := Key(names...)
	return names, err == nil && again == key
}

// unescapeKey reads one name of a key.
func unescapeKey(part string) (string, bool) {
	if part == "=" {
		return "", true
	}
	var out []byte
	for i := 0; i < len(part); i++ {
		if part[i] != '=' {
			out = append(out, part[i])
			continue
		}
		if i+3 > len(part) {
			return "", false
		}
		b, err := hex.DecodeString(part[i+1 : i+3])
		if err != nil {
			return "", false
		}
		out = append(out, b...)
		i += 2
	}
	return string(out), len(out) > 0
}
