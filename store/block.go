package store

import (
	"fmt"
	"slices"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2"
)

// block is a block of rows in ClickHouse's Native format whose memory is used again for the next one. The driver's own batch starts from
// nothing each time, which costs several times as much; see docs/decisions/032-inserts-over-http.md.
type block struct {
	table   *Table
	vectors []vector
	buf     proto.Buffer
	packed  []byte
}

// blocks keeps a few blocks of one table for the next batches. The garbage collector does not empty it, as it does a [sync.Pool]:
// batches are rare and large, and would find the pool empty each time.
type blocks chan *block

const (
	// keptBlocks is how many blocks of a table are kept.
	keptBlocks = 2
	// keptBytes is how large a block may be to be kept.
	keptBytes = 32 << 20
)

// get returns an empty block of a table.
func (p blocks) get(t *Table) *block {
	select {
	case b := <-p:
		return b
	default:
	}
	b := &block{table: t}
	for _, c := range t.columns {
		b.vectors = append(b.vectors, newVector(c.wire))
	}
	return b
}

// put takes back a block that nothing reads any more.
func (p blocks) put(b *block) {
	if cap(b.buf.Buf)+cap(b.packed) > keptBytes {
		return
	}
	for _, v := range b.vectors {
		v.reset()
	}
	select {
	case p <- b:
	default:
	}
}

// fill takes a batch in.
func (b *block) fill(in *input) error {
	for i := range b.table.columns {
		if err := b.table.columns[i].put(b.vectors[i], in); err != nil {
			return fmt.Errorf("fill column %s: %w", b.table.columns[i].name, err)
		}
	}
	return nil
}

// body returns the block as it is sent, in memory that belongs to b.
func (b *block) body(rows int, m clickhouse.CompressionMethod) ([]byte, error) {
	b.buf.Reset()
	b.buf.PutUVarInt(uint64(len(b.vectors)))
	b.buf.PutUVarInt(uint64(rows)) //nolint:gosec // a length
	for i, v := range b.vectors {
		b.buf.PutString(b.table.columns[i].name)
		b.buf.PutString(b.table.columns[i].wire)
		v.encode(&b.buf)
	}
	if m == clickhouse.CompressionNone {
		return b.buf.Buf, nil
	}
	return b.pack(compress.Method(m))
}

// frameBytes is how much goes into one frame of a compressed body.
const frameBytes = 1 << 20

// pack compresses what body wrote.
func (b *block) pack(m compress.Method) ([]byte, error) {
	w := compress.NewWriter(compress.LevelZero, m)
	b.packed = b.packed[:0]
	for frame := range slices.Chunk(b.buf.Buf, frameBytes) {
		if err := w.Compress(frame); err != nil {
			return nil, fmt.Errorf("compress block: %w", err)
		}
		b.packed = append(b.packed, w.Data...)
	}
	return b.packed, nil
}
