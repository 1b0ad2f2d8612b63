package main

import (
	"time"

	"github.com/tooltrail/tooltrail/events"
)

// exactTwentieth calls one tool a hundred times, five of them by an old version: just not over the threshold.
func exactTwentieth(r *recorder, at time.Time) {
	c := r.newConv(at, sonnet)
	c.activate(events.ViaActivationTool, "get_invoice")
	c.request(req{verdict: "cold_start", lost: true})
	for i := range 100 {
		k := ok("get_invoice")
		if i%20 == 7 {
			k.class, k.version = events.DriftOldVersion, "v0"
		}
		c.call(k)
		if i%4 == 3 {
			c.request(req{verdict: "ok"})
		}
	}
}

// wrongNames calls tools by names that are not quite theirs, or not yet, or no longer.
func wrongNames(r *recorder, at time.Time) {
	c := r.warm(at, 2)
	for _, w := range []struct {
		name, resolved string
		resolution     events.Resolution
		how            string
		n              int
	}{
		{"delete_invoice", "delete_invoice", events.ResolvedNotActivated, "", 6},
		{"make_order", "create_order", events.ResolvedRenamed, "alias", 2},
		{"get_payslip", "get_payslip", events.ResolvedNotConnected, "", 2},
		{"delete_employee", "delete_employee", events.ResolvedNotPermitted, "", 3},
		{"warehouse", "", events.ResolvedConnectorName, "", 4},
		{"crm_get_contact", "get_contact", events.ResolvedPrefixRepair, "doubled_prefix", 3},
		{"GetContact", "get_contact", events.ResolvedGuessed, "case", 5},
		{"get_contract", "get_contact", events.ResolvedGuessed, "near", 2},
		{"send_fax", "", events.ResolvedUnknown, "", 7},
	} {
		for range w.n {
			c.call(call{name: w.name, resolved: w.resolved, resolution: w.resolution, how: w.how, outcome: events.OutcomeRefused})
			c.request(req{verdict: "ok"})
		}
	}
}

func madeUpIDs(r *recorder, at time.Time) {
	c := r.warm(at, 3)
	for _, id := range []string{"contact_4471920", "contact_9902117"} {
		k := ok("get_contact")
		k.outcome, k.madeUp = events.OutcomeExecutionError, id
		c.call(k)
		c.request(req{verdict: "ok"})
	}
}

// loops repeats one failing call with the same arguments.
func loops(r *recorder, at time.Time) {
	c := r.warm(at, 3)
	for range 6 {
		k := ok("search_issue")
		k.outcome, k.arguments = events.OutcomeExecutionError, "the same words"
		c.call(k)
		c.request(req{verdict: "ok"})
	}
	r.injected.Others["loop_calls"] = 6
	c.broke("loop")
}

// validationStreak is three validation errors in a row for one tool and version.
func validationStreak(r *recorder, at time.Time) {
	c := r.warm(at, 2)
	c.activate(events.ViaMention, "create_shipment")
	for range 3 {
		c.call(call{
			name: "create_shipment", resolution: events.ResolvedOK, class: events.DriftValidationError, outcome: events.OutcomeValidationError,
			invalid: []events.ValidationError{{Path: "/shipment_id", Keyword: "required"}},
		})
		c.request(req{verdict: "ok"})
	}
	r.injected.Others["validation_errors_in_a_row"] = 3
}

// retries spends four times the first attempt's tokens on the ones after it.
func retries(r *recorder, at time.Time) {
	c := r.warm(at, 2)
	c.activate(events.ViaMention, "create_payout")
	for range 3 {
		for attempt := range int64(5) {
			k := ok("create_payout")
			k.attempt, k.tokens = attempt+1, 400
			if attempt < 4 {
				k.outcome = events.OutcomeExecutionError
			}
			c.call(k)
			c.request(req{verdict: "ok"})
		}
	}
	r.injected.Others["retries_over_three_times"] = 1
}

// canary sends a tenth of the conversations to a new version that fails four times as often.
func canary(r *recorder, at time.Time) {
	for i := range 20 {
		c := r.newConv(at.Add(time.Duration(i)*20*time.Minute), sonnet)
		c.ctx.Cohort = "baseline"
		if i%10 == 0 {
			c.ctx.Cohort = "canary"
		}
		c.request(req{verdict: "cold_start", lost: true})
		c.activate(events.ViaMention, "update_stock")
		for j := range 5 {
			k := ok("update_stock")
			if i%10 == 0 && j < 2 {
				k.outcome = events.OutcomeExecutionError
			}
			c.call(k)
			c.request(req{verdict: "ok"})
		}
	}
	r.injected.Others["canary_conversations"] = 2
}
