package metrics

// Traffic has the counters of what stored events say. The process that stores an event counts it, once, after it was seen to be stored; events
// of long ago, such as those of a file that is imported, are left out. So they grow with the stream's position and by nothing else, and sum() over
// all ingesters is the whole.
//
// The labels server and tool are those of the tool that was meant, where it is registered; else both are "other". Model and agent are as
// the event says, empty where it does not.
type Traffic struct {
	// ToolCalls counts calls by server, tool, model and outcome; the exemplar of one that failed is its trace.
	ToolCalls *Named
	// DriftCalls counts drifted calls by server, tool, model and class (old_version, silent_default, unknown_argument, validation_error).
	DriftCalls *Named
	// NamedCalls counts calls by resolution (ok, guessed, not_activated, ...), agent and model.
	NamedCalls *Named
	// Refusals counts names that were not loaded, by reason and agent.
	Refusals *Named
	// MadeUpIDs counts ids by server, tool and model.
	MadeUpIDs *Named
	// ClientDropped, ClientEmitted and ClientAcked add up what clients say of themselves, by agent.
	ClientDropped, ClientEmitted, ClientAcked *Named
}

func newTraffic(f factory, l *Limits) *Traffic {
	return &Traffic{
		ToolCalls:     f.named(TrafficToolCalls, l),
		DriftCalls:    f.named(TrafficDriftCalls, l),
		NamedCalls:    f.named(TrafficNamedCalls, l),
		Refusals:      f.named(TrafficRefusals, l),
		MadeUpIDs:     f.named(TrafficMadeUpIDs, l),
		ClientDropped: f.named(TrafficClientDropped, l),
		ClientEmitted: f.named(TrafficClientEmitted, l),
		ClientAcked:   f.named(TrafficClientAcked, l),
	}
}
