package analyzer

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// yamlReader fills structs with yaml tags from a document, strictly: what a struct has no field for, a value of another type, a field
// without a value, and all that makes a document more than a tree are errors. Each names its line and field; all are found.
type yamlReader struct {
	// lines are those of the fields that the document has, by their paths.
	lines map[string]int
	// failed are the paths of fields that have no value of their type.
	failed map[string]bool
	errs   []error
}

// settingsError is what is wrong with one field.
type settingsError struct {
	line int
	path string
	text string
}

func (e *settingsError) Error() string {
	at := e.path
	if at != "" {
		at += ": "
	}
	if e.line > 0 {
		at = strconv.Itoa(e.line) + ": " + at
	}
	return at + e.text
}

// readYAML reads one document into a struct, which keeps what the document does not say.
func readYAML(data []byte, into any) (*yamlReader, error) {
	r := &yamlReader{lines: map[string]int{}, failed: map[string]bool{}}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return r, syntaxError(err)
	}
	for i, doc := range file.Docs {
		switch _, empty := doc.Body.(*ast.NullNode); {
		case doc.Body == nil || empty:
		case i > 0:
			r.fail(doc.Body, "", "a second document: want one")
		default:
			r.value("", doc.Body, reflect.ValueOf(into).Elem())
		}
	}
	return r, errors.Join(r.errs...)
}

// syntaxError gives the place and the reason of a document that is no YAML.
func syntaxError(err error) error {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		return &settingsError{line: e.GetToken().Position.Line, text: e.GetMessage()}
	}
	return err
}

func (r *yamlReader) fail(n ast.Node, path, format string, args ...any) {
	r.failed[path] = true
	r.errs = append(r.errs, &settingsError{lineOf(n), path, fmt.Sprintf(format, args...)})
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

// value reads a node into a value of any type.
func (r *yamlReader) value(path string, n ast.Node, to reflect.Value) {
	if _, none := n.(*ast.NullNode); none && path != "" {
		r.fail(n, path, "there is no value; leave the field out for its default")
		return
	}
	switch to.Kind() { //nolint:exhaustive // the others are single values
	case reflect.Pointer:
		if to.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
		}
		r.value(path, n, to.Elem())
	case reflect.Struct:
		r.fields(path, n, to)
	case reflect.Map:
		r.entries(path, n, to)
	case reflect.Slice:
		r.items(path, n, to)
	default:
		r.single(path, n, to)
	}
}

// pairs returns the members of a mapping.
func (r *yamlReader) pairs(path string, n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	r.fail(n, path, "want fields, have %s", kindOf(n))
	return nil
}

// key returns a member's name.
func (r *yamlReader) key(path string, p *ast.MappingValueNode) (string, bool) {
	switch k := p.Key.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return k.GetToken().Value, true
	}
	r.fail(p.Key, path, "want a name, have %s", kindOf(p.Key))
	return "", false
}

func (r *yamlReader) fields(path string, n ast.Node, to reflect.Value) {
	names := fieldNames(to.Type())
	for _, p := range r.pairs(path, n) {
		name, ok := r.key(path, p)
		if !ok {
			continue
		}
		at := strings.TrimPrefix(path+"."+name, ".")
		i, known := names[name]
		if !known {
			r.fail(p.Key, at, "there is no such field")
			continue
		}
		r.lines[at] = lineOf(p.Key)
		r.value(at, p.Value, to.Field(i))
	}
}

// fieldNames returns the fields of a struct by their names in files; one without a name can't be in a file.
func fieldNames(t reflect.Type) map[string]int {
	names := map[string]int{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" && name != "-" {
			names[name] = i
		}
	}
	return names
}

func (r *yamlReader) entries(path string, n ast.Node, to reflect.Value) {
	to.Set(reflect.MakeMap(to.Type()))
	for _, p := range r.pairs(path, n) {
		name, ok := r.key(path, p)
		if !ok {
			continue
		}
		at := path + "[" + strconv.Quote(name) + "]"
		r.lines[at] = lineOf(p.Key)
		v := reflect.New(to.Type().Elem()).Elem()
		r.value(at, p.Value, v)
		to.SetMapIndex(reflect.ValueOf(name), v)
	}
}

func (r *yamlReader) items(path string, n ast.Node, to reflect.Value) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fail(n, path, "want a list, have %s", kindOf(n))
		return
	}
	to.Set(reflect.MakeSlice(to.Type(), len(list.Values), len(list.Values)))
	for i, item := range list.Values {
		at := path + "[" + strconv.Itoa(i) + "]"
		r.lines[at] = lineOf(item)
		r.value(at, item, to.Index(i))
	}
}

// single reads a single value: no number is taken for another kind of number, nor a text for a number.
func (r *yamlReader) single(path string, n ast.Node, to reflect.Value) {
	want, fits := "a number", false
	switch to.Interface().(type) {
	case time.Duration:
		_, fits = n.(*ast.StringNode)
		want = "a span of time such as 30s, 5m or 24h"
	case bool:
		_, fits = n.(*ast.BoolNode)
		want = "true or false"
	case float64:
		_, whole := n.(*ast.IntegerNode)
		_, fits = n.(*ast.FloatNode)
		fits = fits || whole
	case int, int64:
		_, fits = n.(*ast.IntegerNode)
		want = "a whole number"
	case uint64:
		_, fits = n.(*ast.IntegerNode)
		want = "a whole number, 0 or more"
	default:
		_, fits = n.(*ast.StringNode)
		want = "a text"
	}
	if !fits {
		r.fail(n, path, "want %s, have %s", want, kindOf(n))
	} else if err := yaml.NodeToValue(n, to.Addr().Interface(), yaml.Strict()); err != nil {
		r.fail(n, path, "want %s", want)
	}
}

// kindOf says what a node is, without its value.
func kindOf(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "fields"
	case *ast.SequenceNode:
		return "a list"
	case *ast.IntegerNode:
		return "a whole number"
	case *ast.FloatNode:
		return "a number"
	case *ast.InfinityNode:
		return "infinity"
	case *ast.NanNode:
		return "what is not a number"
	case *ast.BoolNode:
		return "true or false"
	case *ast.StringNode, *ast.LiteralNode:
		return "a text"
	case *ast.NullNode:
		return "nothing"
	}
	return strings.ToLower(n.Type().String())
}
