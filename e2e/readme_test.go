package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheReadmesGoCodeCompiles builds the Go code of the README as the body of a function.
func TestTheReadmesGoCodeCompiles(t *testing.T) {
	b, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(b), -1)
	if len(blocks) == 0 {
		t.Fatal("the README has no Go code")
	}
	dir, err := os.MkdirTemp(".", "readme-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, block := range blocks {
		src := "package readme\n\nimport (\n\"context\"\n\"github.com/tooltrail/tooltrail/client\"\n\"github.com/tooltrail/tooltrail/events\"\n)\n\n" +
			"func run(ctx context.Context) error {\n" + block[1] + "return nil\n}\n\nvar _ = run\n"
		if err := os.WriteFile(filepath.Join(dir, "readme.go"), []byte(src), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "vet", "./"+dir).CombinedOutput(); err != nil {
			t.Errorf("the README's code does not compile: %v\n%s", err, out)
		}
	}
}

// TestLinksInDocumentsLeadSomewhere follows every relative link of the Markdown files.
func TestLinksInDocumentsLeadSomewhere(t *testing.T) {
	files, err := exec.Command("git", "-C", "..", "ls-files", "*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	for _, file := range strings.Fields(string(files)) {
		b, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s: the link %s leads nowhere", file, m[1])
			}
		}
	}
}
