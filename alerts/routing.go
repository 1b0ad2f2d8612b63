package alerts

import (
	"fmt"
	"time"
)

// The names of alerts that inhibit others.
const (
	storeDown     = "StoreDown"
	streamDown    = "StreamDown"
	ingestStopped = "IngestStopped"
	driftOver20   = "DriftOver20"
	driftOver5    = "DriftOver5"
)

type routingFile struct {
	Route     route      `yaml:"route"`
	Inhibit   []inhibit  `yaml:"inhibit_rules"`
	Receivers []receiver `yaml:"receivers"`
}

type route struct {
	Receiver       string   `yaml:"receiver"`
	Matchers       []string `yaml:"matchers,omitempty"`
	GroupBy        []string `yaml:"group_by,omitempty"`
	GroupWait      string   `yaml:"group_wait,omitempty"`
	GroupInterval  string   `yaml:"group_interval,omitempty"`
	RepeatInterval string   `yaml:"repeat_interval,omitempty"`
	Routes         []route  `yaml:"routes,omitempty"`
}

type inhibit struct {
	Source []string `yaml:"source_matchers"`
	Target []string `yaml:"target_matchers"`
	Equal  []string `yaml:"equal,omitempty"`
}

type receiver struct {
	Name     string    `yaml:"name"`
	Webhooks []webhook `yaml:"webhook_configs"`
}

type webhook struct {
	URL          string `yaml:"url"`
	SendResolved bool   `yaml:"send_resolved"`
}

// How long Alertmanager waits for more of a group, and until it says the same again.
const (
	pageWait, ticketWait     = 5 * time.Second, time.Minute
	pageAgain, ticketAgain   = 4 * time.Hour, 24 * time.Hour
	infoAgain, groupInterval = 7 * 24 * time.Hour, 5 * time.Minute
)

// Routing renders the configuration of Alertmanager: a receiver a severity, and what inhibits what. While a part is down, what is said of the
// events behind it is silent.
func Routing(c Config) ([]byte, error) {
	to := func(s Severity, wait, again time.Duration) route {
		return route{
			Receiver: string(s), Matchers: []string{matcher(labelSeverity, "=", string(s))},
			GroupWait: promDuration(wait), RepeatInterval: promDuration(again),
		}
	}
	f := routingFile{
		Route: route{
			Receiver: string(Ticket), GroupBy: []string{"alertname", "server", "tool", "agent"}, GroupWait: promDuration(ticketWait),
			GroupInterval: promDuration(groupInterval), RepeatInterval: promDuration(ticketAgain),
			Routes: []route{to(Page, pageWait, pageAgain), to(Ticket, ticketWait, ticketAgain), to(Info, ticketWait, infoAgain)},
		},
		Inhibit: []inhibit{
			{[]string{named(streamDown)}, []string{matcher(labelNeeds, "=~", string(NeedsStream)+"|"+string(NeedsEvents))}, nil},
			{[]string{named(streamDown)}, []string{named(ingestStopped)}, nil},
			{[]string{named(storeDown)}, []string{matcher(labelNeeds, "=", string(NeedsEvents))}, nil},
			{[]string{named(storeDown)}, []string{named(ingestStopped)}, nil},
			{[]string{named(ingestStopped)}, []string{matcher(labelNeeds, "=", string(NeedsEvents))}, nil},
			{[]string{named(driftOver20)}, []string{named(driftOver5)}, []string{"server", "tool", "model"}},
		},
	}
	for _, s := range []Severity{Page, Ticket, Info} {
		f.Receivers = append(f.Receivers, receiver{string(s), []webhook{{c.Webhook[s], true}}})
	}
	return render(f)
}

func matcher(label, op, value string) string { return fmt.Sprintf("%s%s%q", label, op, value) }

func named(alert string) string { return matcher("alertname", "=", alert) }
