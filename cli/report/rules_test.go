package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ruleName is how constants that name rules are called.
var ruleName = regexp.MustCompile(`^(Rule|Flag)[A-Z]`)

func TestEveryConstantThatNamesARuleIsInTheList(t *testing.T) {
	found := 0
	for _, pkg := range []string{"activation", "analyzer", "drift", "prefix"} {
		for name, value := range stringConstants(t, filepath.Join("..", "..", pkg)) {
			if !ruleName.MatchString(name) {
				continue
			}
			found++
			if !slices.Contains(Rules(), value) {
				t.Errorf("%s.%s = %q is not in the list of rules", pkg, name, value)
			}
		}
	}
	if found < 15 {
		t.Errorf("only %d constants found", found)
	}
	if !slices.Contains(Rules(), "tool_disabled") || !slices.Contains(Rules(), "canary_worse") {
		t.Errorf("have %v", Rules())
	}
}

// stringConstants returns the constants of a package that are written as texts, but for those of tests.
func stringConstants(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", dir, err)
	}
	out := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				addTexts(out, spec)
			}
			return true
		})
	}
	return out
}

func addTexts(out map[string]string, spec *ast.ValueSpec) {
	for i, value := range spec.Values {
		if text, ok := value.(*ast.BasicLit); ok && text.Kind == token.STRING {
			out[spec.Names[i].Name], _ = strconv.Unquote(text.Value)
		}
	}
}
