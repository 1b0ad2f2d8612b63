// Package embedded runs what Tooltrail needs on one machine inside its own
// process: a NATS server with JetStream ([StartNATS]), and the ClickHouse
// engine behind ClickHouse's HTTP interface ([OpenEngine]).
//
// Both listen on loopback and are talked to through ordinary clients, so the
// rest of Tooltrail does not know whether its servers are embedded or remote.
//
// # What survives what
//
// A message that JetStream acked and a row whose insert was answered survive
// the death of the process (kill -9) always: both are with the operating
// system by then. A power cut or a kernel crash may cost what the system had
// not written to disk: up to [NATSConfig].SyncInterval of messages (zero loss
// with SyncAlways), and recently inserted parts unless
// [EngineConfig].SyncInserts is set.
//
// # One engine a process
//
// The engine's library keeps one storage path per process. [OpenEngine]
// therefore gives one [Engine] at a time; a second one is refused with
// [ErrEngineOpen] until the first is closed.
package embedded
