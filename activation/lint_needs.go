package activation

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// LintNeed is a required argument with the name of an id and no list of values: a model can't know its value, another tool gives it.
type LintNeed struct {
	Tool string `json:"tool"`
	// Argument is its place in the arguments, as a JSON Pointer; an element of an array is "-".
	Argument string `json:"argument"`
	// Suppliers are the tools that may give it, the most likely first, at most [maxSuppliers]; none where no tool here does: then it is the user's
	// to say, or a tool is missing.
	Suppliers []LintSupplier `json:"suppliers"`
}

// LintSupplier is a tool that may give an argument of another one.
type LintSupplier struct {
	Tool string `json:"tool"`
	// By is the evidence: output, its output schema has it; or name, it lists or finds such things by its name.
	By string `json:"by"`
}

// What a supplier is known by.
const (
	SupplierByOutput = "output"
	SupplierByName   = "name"
)

const (
	// maxSuppliers is how many suppliers an argument has at most in a report.
	maxSuppliers = 3
	// maxSchemaDepth is how deep schemas are looked into.
	maxSchemaDepth = 8
	// maxNeeds is how many arguments of one tool are looked at.
	maxNeeds = 32
)

// schemaNode holds the keywords of a schema that are looked at.
type schemaNode struct {
	Properties jsontext.Value `json:"properties"`
	Required   jsontext.Value `json:"required"`
	Items      jsontext.Value `json:"items"`
	Enum       jsontext.Value `json:"enum"`
	Const      jsontext.Value `json:"const"`
	Default    jsontext.Value `json:"default"`
}

// readNode reads a schema; one that is no object has no keywords.
func readNode(v jsontext.Value) schemaNode {
	var n schemaNode
	if v.Kind() == jsontext.KindBeginObject {
		_ = json.Unmarshal(v, &n, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	}
	return n
}

func (n *schemaNode) properties() map[string]jsontext.Value {
	var out map[string]jsontext.Value
	if n.Properties.Kind() == jsontext.KindBeginObject {
		_ = json.Unmarshal(n.Properties, &out, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	}
	return out
}

// given reports that a schema says the value itself.
func (n *schemaNode) given() bool { return n.Enum != nil || n.Const != nil || n.Default != nil }

// need is a required argument with the name of an id.
type need struct {
	path, name string
	noun       []string
}

// neededIDs walks the required arguments of a schema.
func neededIDs(schema jsontext.Value, path string, depth int, out []need) []need {
	n := readNode(schema)
	properties := n.properties()
	for _, name := range requiredOf(schema) {
		at, p := path+"/"+escapePointer(name), readNode(properties[name])
		if noun, ok := idNoun(name); ok && !p.given() && properties[name] != nil {
			if items := readNode(p.Items); !items.given() && len(out) < maxNeeds {
				out = append(out, need{at, name, noun})
			}
		}
		if depth < maxSchemaDepth {
			out = neededIDs(properties[name], at, depth+1, out)
			if p.Items != nil {
				out = neededIDs(p.Items, at+"/-", depth+1, out)
			}
		}
	}
	return out
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func escapePointer(name string) string { return pointerEscapes.Replace(name) }

// idNoun returns what an argument is an id of: of pullNumber, pull. False where it is no id, or one that the caller makes up.
func idNoun(name string) ([]string, bool) {
	if len(name) > maxNearName {
		return nil, false
	}
	w, s := words(name), DefaultIDSettings()
	if !isIDKey(w) || hasAny(w, s.NotIDs) || hasAny(w, s.OwnKeys) && !isIDAfterNoun(w) {
		return nil, false
	}
	return w[:len(w)-1], true
}

// needs finds the arguments that another tool has to give, and that tool.
func (l *linter) needs() {
	n := len(l.tools)
	all := make([][]need, n)
	x := supplyIndex{
		output: map[string][]int{}, noun: map[string][]int{}, rank: make([]int, n), words: make([][]string, n), needs: make([]map[string]bool, n),
	}
	for i := range l.tools {
		if l.entries[i].name == "" {
			continue
		}
		all[i] = neededIDs(l.parsed[i].Schema, "", 0, nil)
		x.needs[i] = map[string]bool{}
		for _, n := range all[i] {
			x.needs[i][fold(n.name)] = true
		}
		x.add(i, l.tools[i])
	}
	for i := range all {
		for _, n := range all[i] {
			l.need(i, n, l.suppliers(i, n, &x))
		}
	}
}

// need reports an argument.
func (l *linter) need(i int, n need, from []LintSupplier) {
	name := l.tools[i].Name
	l.report.Needs = append(l.report.Needs, LintNeed{name, n.path, from})
	text := n.path + ": no tool here is known to give it; say in its description where it comes from"
	if len(from) > 0 {
		text = n.path + " comes from another tool: " + supplierText(from) + "; load both together, and say so in the description where it is yours"
	}
	l.addNeed(text, name)
}

// supplierText names the tools that may give an argument, with the evidence.
func supplierText(from []LintSupplier) string {
	var text []string
	for _, by := range [...]string{SupplierByOutput, SupplierByName} {
		var names []string
		for _, s := range from {
			if s.By == by && !slices.Contains(names, s.Tool) {
				names = append(names, s.Tool)
			}
		}
		if len(names) > 0 {
			text = append(text, strings.Join(names, ", ")+" (by "+by+")")
		}
	}
	return strings.Join(text, ", ")
}

// addNeed adds a tool to the finding that says the same of others.
func (l *linter) addNeed(text, name string) {
	if at, said := l.needAt[text]; said {
		if f := &l.report.Findings[at]; !slices.Contains(f.Tools, name) {
			f.Tools = append(f.Tools, name)
		}
		return
	}
	l.needAt[text] = len(l.report.Findings)
	l.add(LintNote, LintNeedsOther, text, name)
}
