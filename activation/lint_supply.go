package activation

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// givers are verbs of tools that give ids out.
var givers = []string{"list", "search", "find", "get", "query", "lookup", "fetch", "show", "browse", "create", "add", "resolve"}

// supplyIndex finds tools by what their output schemas have, and by the nouns in their names.
type supplyIndex struct {
	output, noun map[string][]int
	// rank orders the tools, see [giverRank]; needs are the names of the ids that each needs itself, without case and separators.
	rank []int
	// words are those of the tools' names, see [singular].
	words [][]string
	needs []map[string]bool
}

func (x *supplyIndex) add(i int, t Tool) {
	var d struct {
		Output jsontext.Value `json:"outputSchema"`
	}
	if json.Unmarshal(t.Definition, &d, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil {
		x.addOutput(i, d.Output, "", 0)
	}
	if x.rank[i] = giverRank(nil); len(t.Name) > maxNearName {
		return
	}
	w := words(t.Name)
	x.rank[i], x.words[i] = giverRank(w), singulars(w)
	if hasAny(w, givers) {
		for _, word := range x.words[i] {
			put(x.noun, word, i)
		}
	}
}

// addOutput adds the names that an output schema has; an id is also found by what it is the id of.
func (x *supplyIndex) addOutput(i int, schema jsontext.Value, parent string, depth int) {
	n := readNode(schema)
	for name, p := range n.properties() {
		put(x.output, fold(name), i)
		if folded := fold(name); parent != "" && slices.Contains(idWords, folded) {
			put(x.output, singular(parent)+folded, i)
		}
		if depth < maxSchemaDepth {
			x.addOutput(i, p, fold(name), depth+1)
		}
	}
	if n.Items != nil && depth < maxSchemaDepth {
		x.addOutput(i, n.Items, parent, depth+1)
	}
}

// put adds an index to a list that has it last, if at all.
func put(m map[string][]int, key string, i int) {
	if all := m[key]; len(all) == 0 || all[len(all)-1] != i {
		m[key] = append(all, i)
	}
}

// singular cuts the ending of a plural in a rough way, the same for both sides of a comparison.
func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && len(word) > 3:
		return word[:len(word)-1]
	}
	return word
}

func singulars(w []string) []string {
	out := make([]string, len(w))
	for i := range w {
		out[i] = singular(w[i])
	}
	return out
}

// suppliers returns the tools that give an argument and don't need it themselves.
func (l *linter) suppliers(of int, n need, x *supplyIndex) []LintSupplier {
	out, taken := []LintSupplier{}, map[int]bool{of: true}
	if len(n.noun) == 0 { // a bare id is everybody's
		return out
	}
	asking := singulars(words(l.tools[of].Name))
	take := func(candidates []int, by string) {
		for _, i := range x.best(candidates, fold(n.name), asking) {
			if !taken[i] && len(out) < maxSuppliers {
				taken[i] = true
				out = append(out, LintSupplier{l.tools[i].Name, by})
			}
		}
	}
	take(x.output[fold(n.name)], SupplierByOutput)
	take(x.output[singular(fold(n.name))], SupplierByOutput)
	take(x.nearest(of, x.withNoun(n.noun), n, asking), SupplierByName)
	return out
}

// nearest keeps of tools with a noun in their names those whose names end in it, where there are some: of issue, list_issues and not
// list_issue_types. Of these it keeps those that have the most words in common with the asking tool's name: for get_dependabot_alert
// list_dependabot_alerts and not list_code_scanning_alerts.
func (x *supplyIndex) nearest(of int, candidates []int, n need, asking []string) []int {
	var out []int
	last, name := singular(n.noun[len(n.noun)-1]), fold(n.name)
	ends, most := false, 0
	for _, i := range candidates {
		w := x.words[i]
		if i == of || len(w) == 0 || x.needs[i][name] {
			continue
		}
		end, shared := w[len(w)-1] == last, x.shared(i, asking)
		if end && !ends || end == ends && shared > most {
			out, ends, most = out[:0], end, shared
		}
		if end == ends && shared == most {
			out = append(out, i)
		}
	}
	return out
}

// enough is how many candidates are looked at closely: as many as are listed, when some were listed already and one asks for itself.
const enough = 2*maxSuppliers + 1

// best returns the surest of the candidates that don't need an argument themselves: of equally sure ones first those with the most words of
// the asking tool's name.
func (x *supplyIndex) best(candidates []int, name string, asking []string) []int {
	var out []int
	for _, i := range candidates {
		full := len(out) == enough
		if x.needs[i][name] || full && x.rank[i] >= x.rank[out[enough-1]] {
			continue
		}
		at, _ := slices.BinarySearchFunc(out, x.rank[i], func(o, rank int) int {
			return cmp.Or(cmp.Compare(x.rank[o], rank), -1) // behind its equals
		})
		out = slices.Insert(out, at, i)
		out = out[:min(len(out), enough)]
	}
	slices.SortStableFunc(out, func(a, b int) int {
		return cmp.Or(cmp.Compare(x.rank[a]/maxNearName, x.rank[b]/maxNearName), cmp.Compare(x.shared(b, asking), x.shared(a, asking)))
	})
	return out
}

// shared counts the words that a tool's name has in common with others.
func (x *supplyIndex) shared(i int, with []string) int {
	n := 0
	for _, w := range x.words[i] {
		for _, o := range with {
			if w == o {
				n++
				break
			}
		}
	}
	return n
}

// giverRank orders tools by how sure a verb of their names gives ids out, then by how few words the names have.
func giverRank(w []string) int {
	verb := len(givers)
	for _, word := range w {
		if at := slices.Index(givers, word); at >= 0 {
			verb = min(verb, at)
		}
	}
	return verb*maxNearName + len(w)
}

// withNoun returns the tools whose names have all words of a noun.
func (x *supplyIndex) withNoun(noun []string) []int {
	out := x.noun[singular(noun[0])]
	for _, word := range noun[1:] {
		has := x.noun[singular(word)]
		out = slices.DeleteFunc(slices.Clone(out), func(i int) bool { _, ok := slices.BinarySearch(has, i); return !ok })
	}
	return out
}
