package panels

import "slices"

func pipelineView() View {
	return read(View{
		ID: Pipeline, Title: "Pipeline health", Question: "Does everything that agents send arrive, and in time?", Variables: byName(byEvent...),
		Panels: slices.Concat(pipelineArrivals(), pipelineLosses(), pipelineState()),
	})
}

func pipelineArrivals() []Panel {
	const none = "No event is stored that happened in this window. Check that ingest runs and that the agents reach NATS."
	return []Panel{
		{
			ID: "pipeline_totals", Title: "Events", Section: "Do events arrive?", Kind: Stat, Width: 12, Height: 4, Empty: none,
			Description: "Events that happened in the window and are stored, how many seconds 99 of 100 of them took to be stored (of the slowest kind)," +
				" when the latest was stored, and events that were refused. What was stored more than a day after it happened is taken for a recording, and not" +
				" counted as late.",
			Columns: columns(
				counts("events", "Events"), Column{Name: "lag", Title: "Stored within", Unit: Seconds, Thresholds: lagThresholds},
				Column{Name: "stored", Title: "Last stored", Unit: Time},
				Column{Name: "letters", Title: "Dead letters", Unit: Count, Thresholds: anyIs(Warn)}),
		},
		{
			ID: "pipeline_events_over_time", Title: "Events by kind", Kind: TimeSeries, Width: 6, Height: 8, Unit: Count, Stacked: true, Empty: none,
			Description: "Stored events by kind, by when they happened.", Columns: counts("events", "Events"),
		},
		{
			ID: "pipeline_lag_over_time", Title: "From happening to stored", Kind: TimeSeries, Width: 6, Height: 8, Unit: Seconds, Thresholds: lagThresholds,
			Description: "How long calls and requests took to be stored: half of them at most, and 99 of 100 at most. What was stored more than a day" +
				" after it happened is taken for a recording and left out.",
			Empty:   "Nothing that happened in this window was stored live. Recordings that were read do not say how late events come.",
			Columns: []Column{{Name: "half", Title: "Half within"}, {Name: "most", Title: "99 % within"}},
		},
		{
			ID: "pipeline_kinds", Title: "By kind", Kind: Table, Width: 12, Height: 6, Empty: none,
			Description: "How many events of each kind there are, when the latest happened and when it was stored.",
			Columns: columns(
				texts("kind", "Kind"), counts("events", "Events"), Column{Name: "last", Title: "Latest happened", Unit: Time},
				Column{Name: "last_stored", Title: "Latest stored", Unit: Time}),
		},
	}
}

func pipelineLosses() []Panel {
	return []Panel{
		{
			ID: "pipeline_letters_over_time", Title: "Dead letters by reason", Section: "Is anything lost?", Kind: TimeSeries, Width: 4, Height: 8, Unit: Count,
			Description: "Events that were refused, by when they were.", Empty: "No event was refused in this window.", Stacked: true,
			Columns: counts("letters", "Dead letters"),
		},
		{
			ID: "pipeline_letters", Title: "Dead letters", Kind: Table, Width: 8, Height: 8,
			Description: "Why and where events were refused, with the beginning of the latest. See all with tooltrail deadletters.",
			Empty:       "No event was refused in this window.",
			Columns: columns(
				texts("reason", "Reason", "place", "Place"), Column{Name: "letters", Title: "Dead letters", Unit: Count, Thresholds: anyIs(Warn)},
				Column{Name: "first", Title: "First", Unit: Time}, lastColumn, texts("subject", "Subject"), counts("message", "Message"), texts("example", "Example")),
		},
		{
			ID: "pipeline_drops", Title: "Dropped by clients", Kind: Table, Width: 6, Height: 7,
			Description: "Events that never left an agent, as its heartbeats say, and why: mostly a buffer that was full while NATS was away.",
			Empty:       "No client dropped an event in this window.",
			Columns: columns(
				agentColumn, texts("reason", "Reason"), Column{Name: "events", Title: "Events", Unit: Count, Thresholds: anyIs(Bad)}, counts("clients", "Clients"),
				lastColumn),
		},
		{
			ID: "pipeline_clients", Title: "Clients", Kind: Table, Width: 6, Height: 7,
			Description: "Clients by agent and version, as their latest heartbeats say.", Empty: "No client sent a heartbeat in this window.",
			Columns: columns(
				agentColumn, texts("version", "Version"), counts("clients", "Clients"), lastColumn,
				counts("emitted", "Emitted", "acked", "Acked", "queue", "Waiting", "reconnects", "Reconnects")),
		},
	}
}

func pipelineState() []Panel {
	return []Panel{
		{
			ID: "pipeline_progress", Title: "Detectors", Section: "Does the rest keep up?", Kind: Table, Width: 6, Height: 7,
			Description: "How far the detectors that keep what they found have come in each lane of the stream: the messages that they have not judged yet.",
			Empty:       "No detector has judged anything yet. Check that the analyzer runs.",
			Columns: columns(
				texts("detector", "Detector", "lane", "Lane"), counts("judged", "Judged up to", "stored", "Stored up to"),
				Column{Name: "behind", Title: "Behind", Unit: Count, Thresholds: []Threshold{{Over: 10_000, Level: Warn}, {Over: 100_000, Level: Bad}}},
				Column{Name: "noted_at", Title: "Noted", Unit: Time}),
		},
		{
			ID: "pipeline_tables", Title: "Tables", Kind: Table, Width: 6, Height: 7,
			Description: "What the tables hold on this server now.", Empty: "This ClickHouse user may not read system.parts.",
			Columns: columns(
				texts("table", "Table"), counts("rows", "Rows"), Column{Name: "bytes", Title: "On disk", Unit: Bytes},
				Column{Name: "row_bytes", Title: "A row", Unit: Bytes}, counts("parts", "Parts"), Column{Name: "modified", Title: "Modified", Unit: Time}),
		},
	}
}
