package analyzer

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/activation"
	"github.com/tooltrail/tooltrail/events"
)

// countedNames counts the calls whose names were looked up in a roster, once that is kept.
type countedNames struct {
	activation.CallKeeper
	judged prometheus.Counter
}

// SaveLookedUpCalls keeps and counts them.
func (k countedNames) SaveLookedUpCalls(ctx context.Context, rows []events.LookedUpCall) error {
	if err := k.CallKeeper.SaveLookedUpCalls(ctx, rows); err != nil {
		return err
	}
	for i := range rows {
		if rows[i].Known {
			k.judged.Inc()
		}
	}
	return nil
}
