package capture

import (
	"slices"
	"testing"
)

func TestWhatWasNotAskedForLongestIsForgotten(t *testing.T) {
	var gone []int
	l := newLRU[string](2, func(v int) error { gone = append(gone, v); return nil })
	for i, k := range []string{"a", "b"} {
		_ = l.put(k, i)
	}
	if _, ok := l.get("a"); !ok {
		t.Fatal("a is gone")
	}
	_ = l.put("c", 2)
	_ = l.put("a", 3)
	if _, ok := l.get("b"); ok || !slices.Equal(gone, []int{1}) {
		t.Errorf("forgotten: %v", gone)
	}
	if v, ok := l.get("a"); !ok || v != 3 {
		t.Errorf("a is %d, %t", v, ok)
	}
	if err := l.clear(); err != nil || !slices.Equal(gone, []int{1, 2, 3}) {
		t.Errorf("forgotten: %v, %v", gone, err)
	}
}
