package metrics

// What stored events say, counted as they are stored, each once: see the struct [Traffic].
var (
	TrafficToolCalls     = Def{"tool", "calls_total", Counter, "calls", "Tool calls, by how they ended.", []string{"server", "tool", "model", "outcome"}}
	TrafficDriftCalls    = Def{"drift", "calls_total", Counter, "calls", "Tool calls that drifted from the active schema, by how they did.", []string{"server", "tool", "model", "class"}}
	TrafficNamedCalls    = Def{"activation", "calls_total", Counter, "calls", "Tool calls whose name was looked up until they were stored, by their sender or by the ingester, by what became of the name that the model gave. What the analyzer looks up later is in tooltrail_analyzer_window_rule_hits.", []string{"resolution", "agent", "model"}}
	TrafficRefusals      = Def{"activation", "refusals_total", Counter, "names", "Names that were asked for and not loaded, by why.", []string{"reason", "agent"}}
	TrafficMadeUpIDs     = Def{"activation", "made_up_ids_total", Counter, "ids", "Ids in arguments that appeared nowhere in their conversation before.", []string{"server", "tool", "model"}}
	TrafficClientDropped = Def{"client", "dropped_events_total", Counter, "events", "Events that clients dropped, as their heartbeats say, by why.", []string{"agent", "reason"}}
	TrafficClientEmitted = Def{"client", "emitted_events_total", Counter, "events", "Events that were given to clients, as their heartbeats say.", []string{"agent"}}
	TrafficClientAcked   = Def{"client", "acked_events_total", Counter, "events", "Events of clients that the stream acknowledged, as their heartbeats say.", []string{"agent"}}
)
