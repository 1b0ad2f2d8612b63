package drift

import (
	"net/url"
	"strings"
)

// dropUnstableID takes out the identifier of a whole schema that is written in another way than it is looked up by, such as "?" or one with
// a scheme in capitals: the library would look for the schema under its own address without end.
func dropUnstableID(doc any) {
	m, ok := doc.(map[string]any)
	if !ok {
		return
	}
	for _, keyword := range []string{"$id", "id"} {
		if id, ok := m[keyword].(string); ok && !isStableID(id) {
			delete(m, keyword)
		}
	}
}

// isStableID reports that the address which an identifier gives a schema stays the same when it is resolved against itself.
func isStableID(id string) bool {
	id, _, _ = strings.Cut(id, "#")
	if id == "" || strings.HasPrefix(id, "urn:") {
		return true
	}
	address, err := resolveAddress(schemaURL, id)
	if err != nil {
		return false
	}
	again, err := resolveAddress(address, "#")
	return err == nil && again == address
}

// resolveAddress resolves a reference as the library does, without its fragment.
func resolveAddress(base, ref string) (string, error) {
	to, err := url.Parse(ref)
	if err != nil {
		return "", err
	}
	if !to.IsAbs() {
		from, err := url.Parse(base)
		if err != nil {
			return "", err
		}
		ref = from.ResolveReference(to).String()
	}
	ref, _, _ = strings.Cut(ref, "#")
	return ref, nil
}
