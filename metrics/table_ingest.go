package metrics

// The metrics of the component ingest: see the struct [Ingest] for what each says.
var (
	IngestLanesDown          = Def{"ingest", "lanes_down", Gauge, "lanes", "Lanes that do not work because the store or the stream does not answer.", nil}
	IngestLagMessages        = Def{"ingest", "lag_messages", Gauge, "messages", "Messages in the stream that are not stored yet.", []string{"partition", "kind"}}
	IngestLagSeconds         = Def{"ingest", "lag_seconds", Gauge, "seconds", "Age of the oldest fetched message that is not stored yet.", []string{"partition", "kind"}}
	IngestEvents             = Def{"ingest", "events_total", Counter, "events", "Events stored.", []string{"kind"}}
	IngestBytes              = Def{"ingest", "bytes_total", Counter, "bytes", "Bytes of the messages that stored events came in.", []string{"kind"}}
	IngestBatches            = Def{"ingest", "batches_total", Counter, "batches", "Batches stored.", []string{"kind"}}
	IngestInsertSeconds      = Def{"ingest", "insert_seconds", Histogram, "seconds", "Time from sending a batch until it was seen to be stored.", []string{"kind"}}
	IngestInsertRetries      = Def{"ingest", "insert_retries_total", Counter, "inserts", "Inserts that were tried again.", []string{"kind"}}
	IngestDuplicates         = Def{"ingest", "duplicates_total", Counter, "events", "Events left out because their id was stored before.", []string{"kind"}}
	IngestDeadLetters        = Def{"ingest", "dead_letters_total", Counter, "events", "Lines that went to the dead-letter stream.", []string{"kind"}}
	IngestLostRaces          = Def{"ingest", "lost_races_total", Counter, "batches", "Batches thrown away because another ingester was first.", []string{"kind"}}
	IngestRestarts           = Def{"ingest", "restarts_total", Counter, "restarts", "Consumers given up and opened anew.", []string{"kind"}}
	IngestGaps               = Def{"ingest", "gaps_total", Counter, "gaps", "Times that the stream dropped messages before they were stored.", []string{"kind"}}
	IngestGapMessages        = Def{"ingest", "gap_messages_total", Counter, "messages", "Messages, at most, that the stream dropped before they were stored.", []string{"kind"}}
	IngestMemoryBytes        = Def{"ingest", "memory_bytes", Gauge, "bytes", "Bytes of the memory budget in use.", nil}
	IngestUnassignedSubjects = Def{"ingest", "unassigned_subjects", Gauge, "subjects", "Subjects in the stream that this ingester does not read.", nil}
	IngestIntakeRequests     = Def{"ingest", "intake_requests_total", Counter, "requests", "Requests to the HTTP intake, by status code.", []string{"code"}}
	IngestIntakeEvents       = Def{"ingest", "intake_events_total", Counter, "events", "Lines at the HTTP intake, by result (accepted, refused).", []string{"result"}}
	IngestNamesResolved      = Def{"ingest", "names_resolved_total", Counter, "calls", "Calls whose name was looked up here and is right; the analyzer judges the others.", nil}
	IngestRegistryTools      = Def{"ingest", "registry_tools", Gauge, "tools", "Tools that calls are judged by.", nil}
	IngestRegistryWaiting    = Def{"ingest", "registry_waiting", Gauge, "tools", "Tools with definitions that are not in the registry's bucket yet.", nil}
	IngestRegistryWrites     = Def{"ingest", "registry_writes_total", Counter, "writes", "Writes of documents into the registry's bucket, by result (written, unchanged, failed, refused).", []string{"result"}}
	IngestRegistryErrors     = Def{"ingest", "registry_errors_total", Counter, "errors", "Revisions of the registry's documents that could not be used, or not all of them.", nil}
	IngestRegistryRefused    = Def{"ingest", "registry_refused_definitions_total", Counter, "definitions", "Tool definitions that no call can be judged by.", nil}
	IngestNATSUp             = Def{"ingest", "nats_up", Gauge, "0 or 1", "1 while the ingester is connected to NATS.", nil}
	IngestStoreUp            = Def{"ingest", "store_up", Gauge, "0 or 1", "1 where the store answered the ingester when it was last asked.", nil}
)
