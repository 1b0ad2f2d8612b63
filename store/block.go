package store

import (
	"bytes"
	"fmt"
	"io"
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
	// data has the columns that follow from the rows, head the block's header and the other columns.
	data, head proto.Buffer
	// spare is memory to compress into.
	spare []byte
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
	if cap(b.data.Buf)+cap(b.head.Buf)+cap(b.spare) > keptBytes {
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

// fill takes some columns of a batch in.
func (b *block) fill(in *input, columns []int) error {
	for _, i := range columns {
		if err := b.table.columns[i].put(b.vectors[i], in); err != nil {
			return fmt.Errorf("fill column %s: %w", b.table.columns[i].name, err)
		}
	}
	return nil
}

// encode appends columns as they are sent.
func (b *block) encode(buf *proto.Buffer, columns []int) {
	for _, i := range columns {
		buf.PutString(b.table.columns[i].name)
		buf.PutString(b.table.columns[i].wire)
		b.vectors[i].encode(buf)
	}
}

// prepare takes in and encodes what follows from the rows alone.
func (b *block) prepare(in *input, m clickhouse.CompressionMethod) error {
	if err := b.fill(in, b.table.early); err != nil {
		return err
	}
	b.data.Reset()
	b.encode(&b.data, b.table.early)
	return b.pack(&b.data, m)
}

// body adds what follows from where the rows go and returns the block as it is sent, in memory that belongs to b.
func (b *block) body(in *input, m clickhouse.CompressionMethod) (io.Reader, error) {
	if err := b.fill(in, b.table.late); err != nil {
		return nil, err
	}
	b.head.Reset()
	b.head.PutUVarInt(uint64(len(b.vectors)))
	b.head.PutUVarInt(uint64(len(in.rows))) //nolint:gosec // a length
	b.encode(&b.head, b.table.late)
	if err := b.pack(&b.head, m); err != nil {
		return nil, err
	}
	return io.MultiReader(bytes.NewReader(b.head.Buf), bytes.NewReader(b.data.Buf)), nil
}

// frameBytes is how much goes into one frame of a compressed body.
const frameBytes = 1 << 20

// pack compresses a buffer in place.
func (b *block) pack(buf *proto.Buffer, m clickhouse.CompressionMethod) error {
	if m == clickhouse.CompressionNone {
		return nil
	}
	w := compress.NewWriter(compress.LevelZero, compress.Method(m))
	packed := b.spare[:0]
	for frame := range slices.Chunk(buf.Buf, frameBytes) {
		if err := w.Compress(frame); err != nil {
			return fmt.Errorf("compress block: %w", err)
		}
		packed = append(packed, w.Data...)
	}
	b.spare, buf.Buf = buf.Buf, packed
	return nil
}
