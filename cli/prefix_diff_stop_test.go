package cli

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestAComparisonEndsWhenItIsInterrupted(t *testing.T) {
	stop := errors.New("stopped by a signal")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	body := []byte(`{"messages":[` + strings.Repeat("0,", 1<<16) + `0]}`)
	if _, err := diffBodies(ctx, "", [2][]byte{body, body}); !errors.Is(err, stop) {
		t.Errorf("have %v", err)
	}
	if d, err := diffBodies(t.Context(), "", [2][]byte{body, body}); err != nil || len(d.Reasons) > 0 {
		t.Errorf("have %v and %v", d.Reasons, err)
	}
	if _, err := diffBodies(t.Context(), "", [2][]byte{body, nil}); err == nil {
		t.Error("no error for a body that is none")
	}
}
