// Package store keeps Tooltrail's events and findings in ClickHouse.
//
// There is one table a kind of event, with a column a field ([Tables]); dead letters, findings and the changes of tools have their own. [Open] connects
// over HTTP or the native protocol, [DB.Migrate] makes the tables, and the rest is small: [DB.Insert] stores one batch,
// [DB.Position] says how far a lane is stored, [DB.Each] runs a query.
//
// # Each event once
//
// A lane is one subject of one stream. Its position is the highest stream sequence that is stored. A batch that was read from
// position X on is inserted as one block in one partition under the token LANE@X, and ClickHouse keeps the first block of a token
// only: the token is a compare-and-swap, and of two writers one wins whatever their batches hold. Tokens are compared within a
// partition, so that both writers must choose the same one: it is the day on which the lane's previous batch was inserted,
// which follows from X, and not today, which does not. See docs/decisions/031-partition-follows-position.md.
package store
