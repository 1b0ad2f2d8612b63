package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/tooltrail/tooltrail/"

// mayImport is the folder table of docs/design.md: what each folder may import of the others. "*" is all of it.
var mayImport = map[string][]string{
	"events":     {},
	"finding":    {},
	"progress":   {},
	"drift":      {"events", "finding"},
	"prefix":     {"events", "finding", "progress"},
	"activation": {"events", "finding", "progress"},
	"capture":    {"events", "drift", "prefix", "activation"},
	"stream":     {"events"},
	"client":     {"events", "stream", "drift", "prefix", "activation"},
	"ingest":     {"events", "stream", "metrics", "drift", "prefix", "activation"},
	"store":      {"events", "finding"},
	"metrics":    {},
	"analyzer":   {"events", "finding", "drift", "prefix", "activation", "stream", "metrics"},
	"embedded":   {},
	"panels":     {"finding"},
	"dashboards": {"panels"},
	"alerts":     {"metrics", "panels", "dashboards"},
	"page":       {"panels", "finding"},
	"docs":       {},
	"deploy":     {},
	"cli":        {"*"},
	"cmd":        {"*"},
	"sample":     {"events"},
	"e2e":        {"*"},
}

// TestFoldersImportOnlyForward holds every package's imports, tests left out, against the folder table.
func TestFoldersImportOnlyForward(t *testing.T) {
	for _, p := range listPackages(t) {
		from := folder(p.ImportPath)
		allowed, known := mayImport[from]
		if !known {
			t.Errorf("%s: folder %q is not in the folder table", p.ImportPath, from)
		}
		for _, imp := range p.Imports {
			to := folder(imp)
			if to == "" || to == from || slices.Contains(allowed, "*") || slices.Contains(allowed, to) {
				continue
			}
			t.Errorf("%s imports %s: %q may import only %v", p.ImportPath, imp, from, allowed)
		}
	}
}

// TestVerticalsDoNotReachOut: rules are pure, so they import no client of NATS, ClickHouse or Prometheus.
func TestVerticalsDoNotReachOut(t *testing.T) {
	for _, p := range listPackages(t) {
		if !slices.Contains([]string{"events", "finding", "progress", "drift", "prefix", "activation"}, folder(p.ImportPath)) {
			continue
		}
		for _, imp := range p.Imports {
			if strings.Contains(imp, "nats-io/") || strings.Contains(imp, "ClickHouse/") || strings.Contains(imp, "prometheus/") || imp == "net/http" {
				t.Errorf("%s imports %s: rules do no I/O", p.ImportPath, imp)
			}
		}
	}
}

// TestPackagesAreNamedAfterTheDomain refuses the names that say nothing.
func TestPackagesAreNamedAfterTheDomain(t *testing.T) {
	for _, p := range listPackages(t) {
		if slices.Contains([]string{"common", "util", "utils", "helpers", "types", "misc", "base"}, p.Name) {
			t.Errorf("%s: %q is no noun of the domain", p.ImportPath, p.Name)
		}
	}
}

type goPackage struct {
	ImportPath, Name string
	Imports          []string
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Imports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list packages: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("read package list: %v", err)
		}
		all = append(all, p)
	}
	if len(all) < 10 {
		t.Fatalf("only %d packages: the listing is wrong", len(all))
	}
	return all
}

// folder returns the top-level folder of one of the module's packages, and "" for anything else.
func folder(importPath string) string {
	rest, ok := strings.CutPrefix(importPath, module)
	if !ok {
		return ""
	}
	top, _, _ := strings.Cut(rest, "/")
	return top
}
