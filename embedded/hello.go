package embedded

import (
	"strconv"
	"strings"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// displayName is the name that the engine gives itself.
const displayName = "tooltrail"

// helloQuery is what clickhouse-go asks first. It reads the answer in the
// block layout of the revision that it states, which the engine does not
// write, so the front answers; the revision 0 in the answer makes the client
// read all that follows in the layout that the engine does write.
const helloQuery = "SELECT displayName(), version(), revision(), timezone()"

func isHello(query string) bool { return strings.TrimSpace(query) == helloQuery }

func (e *Engine) hello(out *reply, q *request) error {
	revision, err := strconv.ParseUint(q.revision, 10, 32)
	if err != nil {
		return newException(codeBadArguments, "BAD_ARGUMENTS", "client_protocol_version is not a number")
	}
	block := proto.NewBlock()
	for _, c := range []struct{ name, kind string }{
		{"displayName()", "String"}, {"version()", "String"}, {"revision()", "UInt32"}, {"timezone()", "String"},
	} {
		if err := block.AddColumn(c.name, column.Type(c.kind)); err != nil {
			return err
		}
	}
	if err := block.Append(displayName, e.version, uint32(0), e.timezone); err != nil {
		return err
	}
	var buf chproto.Buffer
	if err := block.Encode(&buf, revision); err != nil {
		return err
	}
	out.format("Native")
	_, err = out.Write(buf.Buf)
	return err
}
