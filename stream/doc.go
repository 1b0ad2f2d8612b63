// Package stream is Tooltrail's side of NATS: how to connect ([Connect]), and which streams and key-value buckets there are
// ([Ensure]). Everything is created in this one place, idempotently: whoever starts first creates, the others agree.
//
// Streams keep messages for a time and up to a size, whoever has read them: what has been stored is known to ClickHouse, not to
// JetStream (docs/decisions/020).
package stream
