package drift

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// releaseJSON holds the members that a list of tools may have.
type releaseJSON struct {
	Release    string           `json:"release"`
	Version    string           `json:"version"`
	Server     string           `json:"server"`
	ReleasedAt time.Time        `json:"released_at"`
	Tools      []jsontext.Value `json:"tools"`
	Result     *releaseJSON     `json:"result"`
}

// ReadReleases reads lists of tools: JSON values one after the other, each an array of definitions, an object with tools (and release,
// server and released_at where it says so), an answer to tools/list, one definition, or one bare schema. Definitions and schemas that
// stand alone make up one release without a name. The error says which value can't be read.
func ReadReleases(text []byte) ([]Release, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var out []Release
	loose := -1
	for n := 1; ; n++ {
		v, err := dec.ReadValue()
		if errors.Is(err, io.EOF) && n > 1 {
			return out, nil
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // there is nothing at all
			}
			return nil, fmt.Errorf("read value %d: not JSON %s", n, SyntaxPlace(text, err))
		}
		r, whole, err := readRelease(v.Clone())
		if err != nil {
			return nil, fmt.Errorf("read value %d: %w", n, err)
		}
		switch {
		case whole || loose < 0:
			if !whole {
				loose = len(out)
			}
			out = append(out, r)
		default:
			out[loose].Tools = append(out[loose].Tools, r.Tools...)
		}
	}
}

var errNoTools = errors.New("no list of tools, no definition and no schema")

// readRelease reads one value; whole is false for a definition or a schema that stands alone.
func readRelease(v jsontext.Value) (r Release, whole bool, err error) {
	if v.Kind() == jsontext.KindBeginArray {
		err := json.Unmarshal(v, &r.Tools)
		return r, true, err
	}
	var names map[string]jsontext.Value
	if v.Kind() != jsontext.KindBeginObject || json.Unmarshal(v, &names, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return r, false, errNoTools
	}
	switch {
	case names["tools"].Kind() == jsontext.KindBeginArray || names["result"].Kind() == jsontext.KindBeginObject:
		return readListed(v)
	case isBareSchema(names):
		wrapped, err := json.Marshal(map[string]jsontext.Value{"name": jsontext.Value(`"schema"`), "inputSchema": v})
		return Release{Tools: []jsontext.Value{wrapped}}, false, err
	}
	return Release{Tools: []jsontext.Value{v}}, false, nil
}

func readListed(v jsontext.Value) (Release, bool, error) {
	var j releaseJSON
	if err := json.Unmarshal(v, &j, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return Release{}, false, errors.New("not a list of tools")
	}
	if j.Result != nil && j.Tools == nil {
		j.Tools = j.Result.Tools
	}
	if j.Release == "" {
		j.Release = j.Version
	}
	return Release{Name: j.Release, Server: j.Server, At: j.ReleasedAt, Tools: j.Tools}, true, nil
}

// isBareSchema tells a schema from a definition: it has a schema's keywords and no name.
func isBareSchema(names map[string]jsontext.Value) bool {
	if names["name"].Kind() == jsontext.KindString || len(names["function"]) > 0 || len(names["toolSpec"]) > 0 {
		return false
	}
	for _, keyword := range []string{"$schema", "properties", "$ref", "$defs", "anyOf", "oneOf", "allOf", "required", "additionalProperties"} {
		if len(names[keyword]) > 0 {
			return true
		}
	}
	return string(names["type"]) == `"object"`
}
