package drift

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tooltrail/tooltrail/events"
)

// OpenAPIOptions are what an OpenAPI document is told.
type OpenAPIOptions struct {
	// Title is the document's; empty is "Tools".
	Title string
	// Version is the document's; empty is a digest of all that it says.
	Version string
	// Limits bound each schema.
	Limits Limits
}

// OpenAPINote is something that a document says otherwise than the schema did, or leaves out.
type OpenAPINote struct {
	Server string `json:"server,omitzero"`
	Tool   string `json:"tool"`
	// Path is a JSON pointer into the definition.
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Text says the note.
func (n *OpenAPINote) Text() string {
	return Key{n.Server, n.Tool}.String() + " " + n.Path + ": " + n.Reason
}

// OpenAPI writes the active versions of documents as one OpenAPI 3.1 document in JSON: an operation a tool, whose request is the input
// schema and whose answer is the output schema, where the definition has one. Schemas are told in the dialect of JSON Schema 2020-12,
// and what they refer to is among the components. The same documents give the same bytes. Notes say what could not be told as it was,
// also in the operation's x-tooltrail-notes. The error is two documents of one tool, or a title that is no text.
func OpenAPI(docs []*Document, o OpenAPIOptions) ([]byte, []OpenAPINote, error) {
	docs = slices.Clone(docs)
	slices.SortStableFunc(docs, func(a, b *Document) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool))
	})
	w := openAPIWriter{
		limits: o.Limits.orDefault(), names: map[string]bool{}, ids: operationIDs(docs),
		doc: openAPIDocument{
			OpenAPI: "3.1.0", Info: openAPIInfo{Title: cmp.Or(o.Title, "Tools"), Version: o.Version},
			Paths: map[string]openAPIPath{}, Components: openAPIComponents{Schemas: map[string]any{}},
		},
	}
	for _, id := range w.ids {
		w.names[id] = true
	}
	for _, d := range docs {
		if v := d.Active(); v != nil {
			if err := w.tool(d, v); err != nil {
				return nil, nil, fmt.Errorf("write OpenAPI of %s: %w", d.Key(), err)
			}
		}
	}
	raw, err := w.doc.encode()
	if err != nil {
		return nil, nil, fmt.Errorf("write OpenAPI: %w", err)
	}
	return raw, w.notes, nil
}

// openAPIDocument is the document as it is written.
type openAPIDocument struct {
	OpenAPI    string                 `json:"openapi"`
	Info       openAPIInfo            `json:"info"`
	Tags       []openAPITag           `json:"tags,omitempty"`
	Paths      map[string]openAPIPath `json:"paths"`
	Components openAPIComponents      `json:"components"`
}

type openAPIInfo struct {
	Title   string `json:"title"`
	Version string `json:"version"`
}

type openAPITag struct {
	Name string `json:"name"`
}

type openAPIPath struct {
	Post *openAPIOperation `json:"post"`
}

type openAPIOperation struct {
	OperationID string                     `json:"operationId"`
	Summary     string                     `json:"summary,omitempty"`
	Description string                     `json:"description,omitempty"`
	Tags        []string                   `json:"tags,omitempty"`
	Request     openAPIContent             `json:"requestBody"`
	Responses   map[string]openAPIContent  `json:"responses"`
	Server      string                     `json:"x-tooltrail-server,omitempty"`
	Tool        string                     `json:"x-tooltrail-tool"`
	Version     string                     `json:"x-tooltrail-version"`
	Release     string                     `json:"x-tooltrail-release,omitempty"`
	Digests     openAPIDigests             `json:"x-tooltrail-digests"`
	Annotations map[string]json.RawMessage `json:"x-tooltrail-annotations,omitempty"`
	Notes       []string                   `json:"x-tooltrail-notes,omitempty"`
}

type openAPIDigests struct {
	Wire       string `json:"wire"`
	Definition string `json:"definition"`
	Schema     string `json:"schema"`
}

// openAPIContent is a request or an answer.
type openAPIContent struct {
	Description string                  `json:"description,omitempty"`
	Required    bool                    `json:"required,omitempty"`
	Content     map[string]openAPIMedia `json:"content,omitempty"`
}

type openAPIMedia struct {
	Schema any `json:"schema"`
}

type openAPIComponents struct {
	Schemas map[string]any `json:"schemas"`
}

func jsonContent(component string) map[string]openAPIMedia {
	return map[string]openAPIMedia{"application/json": {Schema: refTo(component)}}
}

// encode writes the document, with a digest of it as version where it has none.
func (d *openAPIDocument) encode() ([]byte, error) {
	if d.Info.Version == "" {
		raw, err := indented(d)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(raw)
		d.Info.Version = hex.EncodeToString(sum[:6])
	}
	return indented(d)
}

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// openAPIWriter makes the document.
type openAPIWriter struct {
	doc    openAPIDocument
	limits Limits
	// ids are the tools' operation ids, names all names of components that are taken.
	ids   map[Key]string
	names map[string]bool
	notes []OpenAPINote
}

// describedJSON holds what a definition says beside its name and input schema.
type describedJSON struct {
	Title        string                     `json:"title"`
	OutputSchema jsontext.Value             `json:"outputSchema"`
	Annotations  map[string]json.RawMessage `json:"annotations"`
}

var errSameTool = errors.New("there are two documents of this tool")

func (w *openAPIWriter) tool(d *Document, v *VersionEntry) error {
	path := toolPath(d.Key())
	if _, ok := w.doc.Paths[path]; ok {
		return errSameTool
	}
	t, err := events.ParseTool(v.Definition)
	if err != nil {
		return err
	}
	var more describedJSON
	_ = json.Unmarshal(v.Definition, &more) // what is of another type is left out
	op := &openAPIOperation{
		OperationID: w.ids[d.Key()], Summary: oneLine(more.title()), Description: t.Description, Annotations: more.Annotations,
		Server: d.Server, Tool: d.Tool, Version: v.Version, Release: v.Release,
		Digests: openAPIDigests{v.WireDigest, v.DefinitionDigest, v.SchemaDigest},
	}
	if d.Server != "" {
		op.Tags = []string{d.Server}
		if tags := w.doc.Tags; len(tags) == 0 || tags[len(tags)-1].Name != d.Server {
			w.doc.Tags = append(tags, openAPITag{d.Server})
		}
	}
	note := func(path, reason string) {
		w.notes = append(w.notes, OpenAPINote{d.Server, d.Tool, path, reason})
		op.Notes = append(op.Notes, path+": "+reason)
	}
	w.contents(op, t.Schema, more.OutputSchema, note)
	w.doc.Paths[path] = openAPIPath{op}
	return nil
}

// contents puts both schemas among the components and refers to them.
func (w *openAPIWriter) contents(op *openAPIOperation, input, output jsontext.Value, note func(path, reason string)) {
	under := func(prefix string) func(string, string) {
		return func(path, reason string) { note(prefix+path, reason) }
	}
	if len(input) == 0 {
		input = jsontext.Value("{}")
	}
	op.Request = openAPIContent{Required: true, Content: jsonContent(w.component(op.OperationID+".input", input, under("/inputSchema")))}
	answer := openAPIContent{Description: "What the tool answers; the definition does not say of what form."}
	if output.Kind() == jsontext.KindBeginObject {
		answer = openAPIContent{
			Description: "What the tool answers.",
			Content:     jsonContent(w.component(op.OperationID+".output", output, under("/outputSchema"))),
		}
	}
	op.Responses = map[string]openAPIContent{"200": answer}
}

// component adds a schema to the components and returns its name there. One that can't be compiled takes anything.
func (w *openAPIWriter) component(name string, raw jsontext.Value, note func(path, reason string)) string {
	name = w.free(name)
	x, err := newSchemaExport(raw, name, w.limits, note)
	if err != nil {
		note("", "left out: "+err.Error())
		w.doc.Components.Schemas[name] = map[string]any{}
		return name
	}
	for component, schema := range x.all(w.free) {
		w.doc.Components.Schemas[component] = schema
	}
	return name
}

// free takes a name for a component that no other has.
func (w *openAPIWriter) free(name string) string {
	for n, try := 2, name; ; n++ {
		if !w.names[try] {
			w.names[try] = true
			return try
		}
		try = fmt.Sprintf("%s_%d", name, n)
	}
}

func (m *describedJSON) title() string {
	var title string
	if json.Unmarshal(m.Annotations["title"], &title) != nil {
		title = ""
	}
	return cmp.Or(m.Title, title)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
