package embedded

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library holds the functions of libchdb that the engine calls. All strings go
// with their length, so zero bytes in them are data.
type library struct {
	setSignalHandlers func(enabled int32)
	connect           func(argc int32, argv unsafe.Pointer) unsafe.Pointer
	closeConn         func(conn unsafe.Pointer)

	streamQuery  func(conn, sql unsafe.Pointer, n uintptr, format unsafe.Pointer, fn uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) unsafe.Pointer
	query        func(conn, sql unsafe.Pointer, n uintptr, format unsafe.Pointer, fn uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) unsafe.Pointer
	streamFetch  func(conn, stream unsafe.Pointer) unsafe.Pointer
	streamCancel func(conn, stream unsafe.Pointer)

	insertOpen    func(conn, sql unsafe.Pointer, n uintptr, format unsafe.Pointer, fn uintptr, names, nameLens, values, valueLens unsafe.Pointer, count uintptr) unsafe.Pointer
	insertAppend  func(stream, data unsafe.Pointer, n uintptr) int32
	insertDone    func(stream unsafe.Pointer) unsafe.Pointer
	insertCancel  func(stream unsafe.Pointer)
	insertError   func(stream unsafe.Pointer) unsafe.Pointer
	insertDestroy func(stream unsafe.Pointer)

	resultBuffer      func(result unsafe.Pointer) unsafe.Pointer
	resultLength      func(result unsafe.Pointer) uintptr
	resultError       func(result unsafe.Pointer) unsafe.Pointer
	resultRowsRead    func(result unsafe.Pointer) uint64
	resultRowsWritten func(result unsafe.Pointer) uint64
	resultDestroy     func(result unsafe.Pointer)
}

var loaded struct {
	sync.Mutex
	path string
	lib  *library
}

// loadLibrary loads the library once; it is never unloaded. A process that has
// loaded one can't load another.
func loadLibrary(path string) (*library, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.lib != nil {
		if loaded.path != path {
			return nil, fmt.Errorf("load engine library %s: this process already uses %s", path, loaded.path)
		}
		return loaded.lib, nil
	}
	if err := checkLibrary(path); err != nil {
		return nil, err
	}
	handle, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("load engine library %s: %w", path, err)
	}
	lib, err := bind(handle)
	if err != nil {
		return nil, fmt.Errorf("load engine library %s: %w", path, err)
	}
	// The Go runtime needs its own signal handlers.
	lib.setSignalHandlers(0)
	loaded.path, loaded.lib = path, lib
	return lib, nil
}

func bind(handle uintptr) (*library, error) {
	lib := new(library)
	for _, f := range []struct {
		target any
		name   string
	}{
		{&lib.setSignalHandlers, "chdb_set_signal_handlers_enabled"},
		{&lib.connect, "chdb_connect"},
		{&lib.closeConn, "chdb_close_conn"},
		{&lib.streamQuery, "chdb_stream_query_with_params_n"},
		{&lib.query, "chdb_query_with_params_n"},
		{&lib.streamFetch, "chdb_stream_fetch_result"},
		{&lib.streamCancel, "chdb_stream_cancel_query"},
		{&lib.insertOpen, "chdb_stream_insert_with_params_n"},
		{&lib.insertAppend, "chdb_stream_append"},
		{&lib.insertDone, "chdb_stream_done"},
		{&lib.insertCancel, "chdb_stream_cancel_insert"},
		{&lib.insertError, "chdb_stream_insert_error"},
		{&lib.insertDestroy, "chdb_destroy_insert_stream"},
		{&lib.resultBuffer, "chdb_result_buffer"},
		{&lib.resultLength, "chdb_result_length"},
		{&lib.resultError, "chdb_result_error"},
		{&lib.resultRowsRead, "chdb_result_rows_read"},
		{&lib.resultRowsWritten, "chdb_result_rows_written"},
		{&lib.resultDestroy, "chdb_destroy_query_result"},
	} {
		symbol, err := purego.Dlsym(handle, f.name)
		if err != nil {
			return nil, fmt.Errorf("find function %s: %w", f.name, err)
		}
		purego.RegisterFunc(f.target, symbol)
	}
	return lib, nil
}

// cString copies a NUL-terminated string out of the library; "" for NULL.
func cString(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// cText is a Go string as the library takes it; keep it alive over the call.
type cText struct {
	ptr unsafe.Pointer
	len uintptr
}

var emptyText [1]byte

func textOf(s string) cText {
	if s == "" {
		return cText{unsafe.Pointer(&emptyText), 0}
	}
	return cText{unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s))}
}

// cParams are query parameters as four parallel C arrays.
type cParams struct {
	names, values         []unsafe.Pointer
	nameLens, valueLens   []uintptr
	namesPtr, nameLensPtr unsafe.Pointer
	valuesPtr, valLensPtr unsafe.Pointer
}

// param is one query parameter, for {Name:Type} in a query.
type param struct{ Name, Value string }

func paramsOf(list []param) *cParams {
	p := new(cParams)
	for _, item := range list {
		name, value := textOf(item.Name), textOf(item.Value)
		p.names, p.nameLens = append(p.names, name.ptr), append(p.nameLens, name.len)
		p.values, p.valueLens = append(p.values, value.ptr), append(p.valueLens, value.len)
	}
	if len(list) > 0 {
		p.namesPtr, p.nameLensPtr = unsafe.Pointer(&p.names[0]), unsafe.Pointer(&p.nameLens[0])
		p.valuesPtr, p.valLensPtr = unsafe.Pointer(&p.values[0]), unsafe.Pointer(&p.valueLens[0])
	}
	return p
}

func (p *cParams) count() uintptr { return uintptr(len(p.names)) }
