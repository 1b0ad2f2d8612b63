package store

import (
	"errors"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2"
	chcolumn "github.com/ClickHouse/clickhouse-go/v2/lib/column"
)

// codeName returns the symbolic name of a server error: over HTTP the driver knows it, over the native protocol it is the last word
// in parentheses, such as (UNKNOWN_TABLE).
func codeName(ex *clickhouse.Exception) string {
	if ex.CodeName != "" {
		return ex.CodeName
	}
	if i := strings.LastIndexByte(ex.Message, '('); i >= 0 {
		if name, _, ok := strings.Cut(ex.Message[i+1:], ")"); ok && symbolic(name) {
			return name
		}
	}
	return "see the server's log"
}

func symbolic(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// reason says why there was no answer, from the parts of the error that can't hold rows.
func reason(err error) string {
	var http *clickhouse.HTTPError
	if errors.As(err, &http) {
		return "answer that is not ClickHouse's"
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Error()
	}
	var sys *os.SyscallError
	if errors.As(err, &sys) {
		return sys.Error()
	}
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err.Error()
	}
	if errors.Is(err, clickhouse.ErrAcquireConnTimeout) {
		return "no free connection in time; raise MaxOpenConns"
	}
	return "connection lost or answer unreadable"
}

// scanReason says why a row does not fit a struct: names of columns and types, which the driver's two errors for that hold.
func scanReason(err error) string {
	var op *clickhouse.OpError
	if errors.As(err, &op) {
		return op.Error()
	}
	var conv *chcolumn.ColumnConverterError
	if errors.As(err, &conv) {
		return conv.Error()
	}
	return "a column does not fit its field"
}
