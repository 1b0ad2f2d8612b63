package activation

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// unreadableTypes are the types of parts of messages, in all APIs, that ids can stand in without being text.
var unreadableTypes = map[string]bool{
	"image": true, "image_url": true, "input_image": true, "document": true, "file": true, "input_file": true, "audio": true,
	"input_audio": true, "video": true, "container_upload": true,
}

// unreadableMembers are the names of Gemini's and Bedrock's parts of that kind, and how deep in a message they are looked for:
// Bedrock's are words that results may have too.
var unreadableMembers = map[string]int{
	"inlineData": 8, "inline_data": 8, "fileData": 8, "file_data": 8, "image": 3, "document": 3, "video": 3,
}

// IsUnreadable reports whether a message holds a picture, file or sound: what the model read there is not known. Parts tell it by
// their type, or by the name of their one member (Gemini, Bedrock).
func IsUnreadable(raw jsontext.Value) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	isType := false
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return false
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if tok.Kind() != jsontext.KindString || kind != jsontext.KindBeginObject {
			continue
		}
		if n%2 == 0 {
			if isType && unreadableTypes[tok.String()] {
				return true
			}
			continue
		}
		name := tok.String()
		isType = name == "type"
		if dec.StackDepth() <= unreadableMembers[name] && dec.PeekKind() == jsontext.KindBeginObject {
			return true
		}
	}
}
