package activation

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// unreadableTypes are the types of parts of messages, in all APIs and in MCP, that ids can stand in without being text, and of what tells that
// the model has read such a thing: a citation of a page or file. A document may be text: see [reading].
var unreadableTypes = map[string]bool{
	"image": true, "image_url": true, "input_image": true, "output_image": true, "computer_screenshot": true, "file": true, "input_file": true,
	"audio": true, "input_audio": true, "audio_url": true, "video": true, "input_video": true, "video_url": true, "container_upload": true,
	"web_search_result": true, "url_citation": true, "file_citation": true, "container_file_citation": true,
}

// unreadableMembers are the names under which Gemini, Bedrock and MCP have what is no text.
var unreadableMembers = map[string]bool{
	"inlineData": true, "inline_data": true, "fileData": true, "file_data": true, "blob": true, "bytes": true, "s3Location": true,
}

// underSource are those of them that are such only in an object called source (Bedrock): results may have a member bytes.
var underSource = map[string]bool{"bytes": true, "s3Location": true}

// IsUnreadable reports whether a message holds a picture, file, sound or something encrypted, at any depth: what the model read there is
// not known. Parts tell it by their type, by a member's name (Gemini, Bedrock, MCP), or by being a data URL. A document is readable where its source
// says that it is text.
func IsUnreadable(raw jsontext.Value) bool {
	r := reading{dec: jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))}
	for {
		tok, err := r.dec.ReadToken()
		if err != nil {
			return false
		}
		switch tok.Kind() {
		case jsontext.KindBeginObject, jsontext.KindBeginArray:
			r.within = append(r.within, opened{name: r.name})
			r.name = ""
		case jsontext.KindEndObject, jsontext.KindEndArray:
			if r.end() {
				return true
			}
		case jsontext.KindString:
			if r.text(tok.String()) {
				return true
			}
		default:
			r.name = ""
		}
	}
}

// reading is where [IsUnreadable] is in a message.
type reading struct {
	dec    *jsontext.Decoder
	within []opened
	// name is that of the member whose value comes next.
	name string
}

// opened is an object or array that has not ended, and the name it stands under.
type opened struct {
	name             string
	isDocument, text bool
}

// text takes a name or a text, and reports whether it tells of what can't be read.
func (r *reading) text(s string) bool {
	if len(r.within) > 0 && isName(r.dec) {
		r.name = s
		return r.isUnreadableMember()
	}
	name := r.name
	r.name = ""
	if name == "type" && len(r.within) > 0 {
		return r.typed(s)
	}
	return s != "" && strings.HasPrefix(name, "encrypted_") || isDataURL(s)
}

func (r *reading) isUnreadableMember() bool {
	if !unreadableMembers[r.name] || underSource[r.name] && r.within[len(r.within)-1].name != "source" {
		return false
	}
	kind := r.dec.PeekKind()
	return kind == jsontext.KindBeginObject || kind == jsontext.KindString
}

// typed takes the type of the innermost object.
func (r *reading) typed(kind string) bool {
	last := len(r.within) - 1
	switch {
	case kind == "document":
		r.within[last].isDocument = true
	case (kind == "text" || kind == "content") && last > 0 && r.within[last].name == "source":
		r.within[last-1].text = true
	}
	return unreadableTypes[kind]
}

// end leaves an object or array, and reports whether it was a document that is no text.
func (r *reading) end() bool {
	last := r.within[len(r.within)-1]
	r.within, r.name = r.within[:len(r.within)-1], ""
	return last.isDocument && !last.text
}

// maxDataURLHead is how long a data URL is before its data, in bytes.
const maxDataURLHead = 128

func isDataURL(s string) bool {
	return strings.HasPrefix(s, "data:") && strings.Contains(s[:min(len(s), maxDataURLHead)], ";base64,")
}
