package drift

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// settle classes a change for which no witness was found although one was looked for. A stricter keyword that stands alone breaks calls; beside
// keywords that may already forbid what it forbids, it is not known to.
func (ch *Change) settle() {
	if ch.Aspect != AspectInput || ch.Class != Breaking || !mayBeImplied(ch.probe.a, ch.probe.keyword) {
		return
	}
	ch.Class = UnknownClass
	if ch.Note == "" {
		ch.Note = "no call was found that it refuses, and other keywords may have refused the same before"
	}
}

// mayBeImplied reports that a schema's other keywords may imply what a keyword says more strictly now.
func mayBeImplied(s *jsonschema.Schema, keyword string) bool {
	if len(s.AllOf)+len(s.AnyOf)+len(s.OneOf)+len(s.DependentSchemas)+len(s.Dependencies) > 0 || !noneOf(s.Not, s.If, s.Ref) || dynamic(s) {
		return true
	}
	first, _, _ := strings.Cut(keyword, "/")
	switch first {
	case "minLength", "maxLength":
		return s.Pattern != nil || s.Format != ""
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return s.MultipleOf != nil
	case "multipleOf":
		return !noneOf(s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum)
	case "minItems", "maxItems", "uniqueItems", "items", "prefixItems":
		_, rest := itemsOf(s)
		return s.Contains != nil || s.UniqueItems || s.MaxItems >= 0 || len(ofRest(rest)) > 0
	case "minProperties", "maxProperties", "required", "additionalProperties", "properties":
		return s.PropertyNames != nil || s.MinProperties > 0 || s.MaxProperties >= 0 || len(s.DependentRequired)+len(s.PatternProperties) > 0 ||
			len(ofRest(s.AdditionalProperties)) > 0
	}
	return false
}
