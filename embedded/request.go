package embedded

import (
	"cmp"
	"compress/gzip"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/ClickHouse/ch-go/compress"
)

// request is what one HTTP request asks for.
type request struct {
	query      string // from the URL
	body       io.Reader
	database   string
	format     string
	queryID    string
	mark       string // by which the running statement can be found
	revision   string // of the client, as it states it
	settings   []setting
	params     []param
	compress   compress.Method
	compressed bool
	gzip       bool
	buffered   bool // send nothing before the end
}

// refused are URL parameters of ClickHouse that the front does not serve: each
// would change what a query means if it were ignored.
var refused = map[string]string{
	"session_id": "sessions are not kept between requests: send the settings with each of them",
	"role":       "there are no roles",
}

// plain are URL parameters that are neither settings nor refused.
var plain = map[string]bool{
	"query": true, "database": true, "user": true, "password": true, "default_format": true,
	"compress": true, "decompress": true, "query_id": true, "quota_key": true, "stacktrace": true,
	"client_protocol_version": true, "buffer_size": true, "wait_end_of_query": true,
	"session_timeout": true, "session_check": true, "close_session": true,
}

func (e *Engine) readRequest(r *http.Request) (*request, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, newException(codeBadArguments, "BAD_ARGUMENTS", "URL parameters can't be read: "+err.Error())
	}
	q := &request{
		query:      values.Get("query"),
		body:       r.Body,
		database:   cmp.Or(values.Get("database"), r.Header.Get("X-ClickHouse-Database")),
		format:     cmp.Or(values.Get("default_format"), r.Header.Get("X-ClickHouse-Format"), "TabSeparated"),
		queryID:    cmp.Or(values.Get("query_id"), rand.Text()),
		mark:       rand.Text(),
		revision:   values.Get("client_protocol_version"),
		compressed: truthy(values.Get("compress")),
		compress:   compress.LZ4,
		gzip:       truthy(values.Get("enable_http_compression")) && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip"),
		buffered:   truthy(values.Get("wait_end_of_query")),
	}
	if strings.EqualFold(values.Get("network_compression_method"), "ZSTD") {
		q.compress = compress.ZSTD
	}
	if err := e.readSettings(q, values); err != nil {
		return nil, err
	}
	if r.Method != http.MethodPost && values.Get("readonly") == "" {
		q.settings = append(q.settings, setting{"readonly", "2"})
	}
	return q, q.unpackBody(r, truthy(values.Get("decompress")))
}

func truthy(s string) bool { return s == "1" || strings.EqualFold(s, "true") }

// readSettings sorts the URL's parameters into settings and query parameters.
func (e *Engine) readSettings(q *request, values url.Values) error {
	comment := ""
	for name, list := range values {
		value := list[len(list)-1]
		if why := refused[name]; why != "" {
			return newException(codeNotImplemented, "NOT_IMPLEMENTED", "URL parameter "+name+": "+why)
		}
		param1, isParam := strings.CutPrefix(name, "param_")
		switch {
		case isParam:
			q.params = append(q.params, param{param1, value})
		case plain[name]:
		case name == "log_comment":
			comment = value + " "
		case !e.settings[name]:
			return unknownSetting(name)
		default:
			q.settings = append(q.settings, setting{name, value})
		}
	}
	q.settings = append(q.settings, setting{"log_comment", comment + q.queryID + " " + q.mark})
	return nil
}

func unknownSetting(name string) error {
	return newException(codeUnknownSetting, "UNKNOWN_SETTING", fmt.Sprintf("Setting %s is neither a builtin setting nor started with the prefix 'SQL_' registered for user-defined settings", name))
}

// unpackBody undoes the encodings of the body.
func (q *request) unpackBody(r *http.Request, frames bool) error {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return newException(codeNotImplemented, "NOT_IMPLEMENTED", "external tables are not served; create a temporary result another way")
	}
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		plain, err := gzip.NewReader(q.body)
		if err != nil {
			return newException(codeCannotDecompres, "CANNOT_DECOMPRESS", "body is not gzip: "+err.Error())
		}
		q.body = plain
	default:
		return newException(codeNotImplemented, "NOT_IMPLEMENTED", "Content-Encoding "+encoding+" is not served; use gzip or decompress=1")
	}
	if frames {
		q.body = &frameReader{in: q.body}
	}
	return nil
}
