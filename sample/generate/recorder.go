package main

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
)

const (
	seed  = 20261005
	agent = "support-desk"
)

// start is the first moment of the sample; it spans eight weeks.
var start = time.Date(2026, 10, 5, 8, 0, 0, 0, time.UTC)

// injected is what was put into the sample, counted as it is written.
type injected struct {
	Tools    int            `json:"tools"`
	Events   map[string]int `json:"events"`
	Outcomes map[string]int `json:"outcomes"`
	// Verdicts counts requests by the prefix verdict that their making calls for.
	Verdicts map[string]int `json:"verdicts"`
	// ToolChanges counts breaks for changed tools by kind of change.
	ToolChanges map[string]int `json:"tool_changes"`
	// Rules counts calls by name resolution, other than ok.
	Rules map[string]int `json:"rules"`
	// Drift has calls, drifted calls and the class of each drifted one, by tool.
	Drift map[string]*driftCount `json:"drift"`
	// Definitions has what each release of a server changed.
	Definitions []release `json:"definitions"`
	// Activation has what broke each rule of names and of loading on demand, for all agents together.
	Activation map[string]*ruleCount `json:"activation"`
	// Others counts troubles that have no verdict, rule or class of their own.
	Others map[string]int `json:"others"`
}

type driftCount struct {
	Calls   int            `json:"calls"`
	Drifted int            `json:"drifted"`
	Classes map[string]int `json:"classes,omitempty"`
}

type release struct {
	Server            string `json:"server"`
	From              string `json:"from"`
	To                string `json:"to"`
	Before            int    `json:"tools_before"`
	After             int    `json:"tools_after"`
	Added             int    `json:"added"`
	Removed           int    `json:"removed"`
	DefinitionChanged int    `json:"definition_changed"`
	SchemaChanged     int    `json:"schema_changed"`
}

// recorder keeps the events and the list of what was put in.
type recorder struct {
	rng      *rand.Rand
	events   []*events.Event
	injected injected
	tools    []tool
	byName   map[string]tool
	convs    int
	loads    []*load
}

func newRecorder() *recorder {
	r := &recorder{
		rng: rand.New(rand.NewPCG(seed, 1)), //nolint:gosec // a sample wants the same numbers every time
		injected: injected{
			Events: map[string]int{}, Outcomes: map[string]int{}, Verdicts: map[string]int{}, ToolChanges: map[string]int{},
			Rules: map[string]int{}, Drift: map[string]*driftCount{}, Activation: map[string]*ruleCount{}, Others: map[string]int{},
		},
		byName: map[string]tool{},
	}
	r.tools = makeTools()
	for _, t := range r.tools {
		r.byName[t.name] = t
	}
	r.injected.Tools = len(r.tools)
	return r
}

// add records one event at a time.
func (r *recorder) add(at time.Time, data events.Data) {
	r.events = append(r.events, &events.Event{
		ID: r.id(at).String(), Source: "urn:tooltrail:sample:" + agent, Time: at, Data: data,
	})
	r.injected.Events[string(data.Kind())]++
}

// id makes a version 7 UUID of the sample's time and random numbers.
func (r *recorder) id(at time.Time) uuid.UUID {
	var u uuid.UUID
	binary.BigEndian.PutUint64(u[:8], uint64(at.UnixMilli())<<16|r.rng.Uint64N(1<<12)) //nolint:gosec // times after 1970
	binary.BigEndian.PutUint64(u[8:], r.rng.Uint64())
	u[6] = u[6]&0x0f | 0x70
	u[8] = u[8]&0x3f | 0x80
	return u
}

func (r *recorder) digest(parts ...any) string {
	return events.Digester{}.Short([]byte(fmt.Sprint(parts...)))
}

func (r *recorder) between(lo, hi int) int { return lo + r.rng.IntN(hi-lo+1) }

// heartbeats are one a day from one client, which at the end dropped some events.
func (r *recorder) heartbeats() {
	for day := range 56 {
		at := start.Add(time.Duration(day) * 24 * time.Hour)
		h := &events.ClientHeartbeat{
			Context:  events.Context{AgentName: agent, AgentVersion: "12", Environment: "production", Team: "support"},
			ClientID: "support-desk-0", ClientVersion: "0.1.0", Emitted: int64(day * 40), Acked: int64(day * 40),
		}
		if day >= 50 {
			h.Dropped = []events.DropCount{{Reason: "buffer_full", Count: 17}}
			h.Acked -= 17
		}
		r.add(at, h)
	}
	r.injected.Others["client_dropped_events"] = 17
}
