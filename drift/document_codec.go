package drift

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxVersions is how many versions a document holds. The oldest retired ones are dropped first, then the oldest legacy ones.
	MaxVersions = 16
	// MaxDocumentBytes is the longest document: NATS refuses values over 1 MiB unless told otherwise.
	MaxDocumentBytes = 768 << 10
	// MaxReplaced is how many former definitions a version tells of.
	MaxReplaced = 16
	// MaxDropped is how many versions a document tells of that it holds no longer.
	MaxDropped = 48
	// MaxVersionName is the longest name of a version, in bytes.
	MaxVersionName = 128
	// MaxRenames is how many renamed arguments a document holds.
	MaxRenames = 64
	// MaxMigrations is how many migrations a document holds.
	MaxMigrations = 32
	// MaxSteps is how many steps a migration has.
	MaxSteps = 64

	// maxToolName is what a part of a bucket's key holds, in bytes.
	maxToolName = 512
	// maxText bounds owners, reasons, releases and who did something, in bytes.
	maxText = 1024
	// maxPointer is the longest path of a step or renamed argument, in bytes.
	maxPointer = 512
	// maxMoreBytes bounds what a document holds of members that this program does not know, at each place.
	maxMoreBytes = 64 << 10
)

// ErrDocument is in the chain of every error for a document that is not as it should be, or an edit that would make it so.
var ErrDocument = errors.New("not a registry document")

// placeError is what is wrong with a document, and where.
type placeError struct{ path, reason string }

func (e *placeError) Error() string {
	if e.path == "" {
		return e.reason
	}
	return e.path + ": " + e.reason
}

func (e *placeError) Unwrap() error { return ErrDocument }

func wrongAt(path, format string, args ...any) error {
	return &placeError{path, fmt.Sprintf(format, args...)}
}

// DecodeDocument reads a document and checks it, see [Document.Validate]. Members that this program does not know are kept, so that
// it can edit what a newer one wrote. The error names the place by a JSON pointer and has [ErrDocument] in its chain.
func DecodeDocument(raw []byte) (*Document, error) {
	if len(raw) > MaxDocumentBytes {
		return nil, fmt.Errorf("decode document: %w", wrongAt("", "%d bytes, want %d at most", len(raw), MaxDocumentBytes))
	}
	d := &Document{}
	if err := json.Unmarshal(raw, d); err != nil {
		return nil, fmt.Errorf("decode document: %w", decodeError(err))
	}
	if err := d.Validate(); err != nil {
		return nil, fmt.Errorf("decode document: %w", err)
	}
	return d, nil
}

// decodeError names the place of an error of the JSON library, without quoting what is there.
func decodeError(err error) error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		return wrongAt(string(semantic.JSONPointer), "%s can't be read as %s", nameOfKind(semantic.JSONKind), semantic.GoType)
	}
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) {
		return wrongAt("", "not JSON")
	}
	reason := "not JSON"
	if errors.Is(err, jsontext.ErrDuplicateName) {
		reason = "a name twice in one object"
	}
	return wrongAt(string(syntactic.JSONPointer), "%s", reason)
}

func nameOfKind(k jsontext.Kind) string {
	if k == 0 {
		return "a value"
	}
	return typeOf(k, "0.5")
}

// Encode returns the document as JSON, the same bytes for the same document. It does not check more than the length.
func (d *Document) Encode() ([]byte, error) {
	raw, err := json.Marshal(d, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode document: %w: %w", ErrDocument, err)
	}
	if len(raw) > MaxDocumentBytes {
		return nil, fmt.Errorf("encode document: %w", wrongAt("", "%d bytes, want %d at most", len(raw), MaxDocumentBytes))
	}
	return raw, nil
}

// Clone returns a copy that can be edited while the original is used. Definitions are shared: nobody changes their bytes.
func (d *Document) Clone() *Document {
	c := *d
	c.Renames = maps.Clone(d.Renames)
	c.Migrations = slices.Clone(d.Migrations)
	c.Versions = slices.Clone(d.Versions)
	for i := range c.Versions {
		c.Versions[i].Replaced = slices.Clone(c.Versions[i].Replaced)
	}
	c.Dropped = slices.Clone(d.Dropped)
	if d.Canary != nil {
		canary := *d.Canary
		c.Canary = &canary
	}
	return &c
}

// Version returns a version by its name, nil when there is none. It points into the document.
func (d *Document) Version(name string) *VersionEntry {
	if i := d.index(name); i >= 0 {
		return &d.Versions[i]
	}
	return nil
}

func (d *Document) index(version string) int {
	return slices.IndexFunc(d.Versions, func(v VersionEntry) bool { return v.Version == version })
}

// Active returns the active version, nil when there is none. It points into the document.
func (d *Document) Active() *VersionEntry {
	i := slices.IndexFunc(d.Versions, func(v VersionEntry) bool { return v.State == StateActive })
	if i < 0 {
		return nil
	}
	return &d.Versions[i]
}
