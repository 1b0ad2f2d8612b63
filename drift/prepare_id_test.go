package drift

import "testing"

func TestAnOddIdentifierDoesNotSendTheCompilerRoundInCircles(t *testing.T) {
	for _, id := range []string{
		"?", "?#", "TOOL:///schema", "tool:///schema?", "tool:///sch%65ma", "schema?", "%73chema", "./schema", "a/../schema", "//", "///", "///schema", "HTTP://x/", "URN:x", ":", "%",
		"tool:schema", "tool://", "http://x y", "", "#", "urn:x", "https://example.com/s.json", "schema", "http://json-schema.org/draft-07/schema#",
	} {
		for _, keyword := range []string{"$id", "id"} {
			for _, dialect := range []string{"", `"$schema":"http://json-schema.org/draft-04/schema#",`, `"$schema":"https://json-schema.org/draft/2020-12/schema",`} {
				s, err := CompileSchema([]byte(`{`+dialect+`"`+keyword+`":"`+id+`","properties":{"a":{"$ref":"#/$defs/a"},"b":{"$id":"`+id+`","$ref":"#"}},"$defs":{"a":{"type":"string"}}}`), Limits{})
				if err != nil {
					continue
				}
				if got := s.Classify([]byte(`{"a":5}`)); len(got.Errors) != 1 {
					t.Errorf("%s %q: %+v", keyword, id, got)
				}
			}
		}
	}
	for _, id := range []string{"https://example.com/s.json", "order.json", "urn:example:order", "?"} {
		if _, err := CompileSchema([]byte(`{"$id":"`+id+`","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}}}`), Limits{}); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}
