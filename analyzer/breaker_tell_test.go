package analyzer

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tooltrail/tooltrail/drift"
	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/metrics"
)

// tellerOf returns one that knows shop/order.
func tellerOf(t *testing.T) *teller {
	t.Helper()
	known := drift.NewRegistry()
	if err := known.Add(&events.ToolDefinition{Server: "shop", ToolName: "order", Definition: []byte(`{"inputSchema":{"type":"object"}}`)}); err != nil {
		t.Fatal(err)
	}
	a := &Analyzer{metrics: metrics.NewAnalyzer(prometheus.NewPedanticRegistry())}
	return newTeller(a, nil, RegistryOf(known), DefaultBreakerConfig(), slog.New(slog.DiscardHandler))
}

// oweOf owes a tool's switch that was decided at a minute.
func (t *teller) oweOf(tool string, minute int) {
	at := time.Date(2026, 3, 1, 12, minute, 0, 0, time.UTC)
	t.owe("shop."+tool, &drift.Switch{Server: "shop", Tool: tool, State: drift.SwitchDisabled, By: drift.ByBreaker, Since: at})
}

func TestPeopleAreToldOfRegisteredToolsFirstThenOfTheNewest(t *testing.T) {
	tell := tellerOf(t)
	tell.oweOf("b", 2)
	tell.oweOf("order", 1)
	tell.oweOf("c", 3)
	tell.oweOf("a", 1)
	var order []string
	for d, _ := tell.next(); d != nil; d, _ = tell.next() {
		order = append(order, d.s.Tool)
		delete(tell.debts, d.debtKey)
	}
	if diff := cmp.Diff([]string{"order", "c", "b", "a"}, order); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestARegisteredToolIsToldOfThoughTooManyWait(t *testing.T) {
	tell := tellerOf(t)
	for i := range maxDebts {
		tell.oweOf(fmt.Sprint(i), 1+i%50)
	}
	tell.oweOf("order", 0)
	if d, _ := tell.next(); d == nil || d.s.Tool != "order" || len(tell.debts) != maxDebts {
		t.Errorf("first is %+v, of %d", d, len(tell.debts))
	}
	tell.oweOf("older", 0)
	if len(tell.debts) != maxDebts {
		t.Errorf("%d wait", len(tell.debts))
	}
}
