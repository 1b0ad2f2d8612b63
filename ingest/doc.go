// Package ingest moves events from NATS JetStream into a store, each exactly once.
//
// A lane is one subject of the event stream (tooltrail.v1.PARTITION.KIND), or the dead-letter subject, and one table. Lanes
// are independent of each other. The store holds a lane's position, the highest stream sequence it has stored; safety rests
// on that alone, not on acknowledgements to JetStream. A lane reads its position X, opens a consumer at X+1, and stores one
// batch at a time under the token LANE@X, which works as a compare-and-swap: whoever stores first from X wins, and the
// other's insert is dropped. After each insert, whatever its answer, the position is read again and work goes on from there.
// So a crash at any point, an answer that was lost and a second ingester on the same lane all end in each event stored once.
//
// What cannot be decoded, and what the store refuses for good, goes to the dead-letter stream before anything behind it is
// stored. Events whose id is among the lane's recent ids are left out, so an event that was published twice counts once.
//
// [Ingester] runs the lanes. [NewIntake] is the HTTP door for agents that do not speak NATS.
package ingest
