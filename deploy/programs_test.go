package deploy_test

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// programs are built as the Dockerfile builds them.
func programs(t *testing.T, names ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	args := []string{"build", "-o", dir + "/"}
	for _, n := range names {
		args = append(args, "../cmd/"+n)
	}
	build := exec.Command("go", args...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	paths := map[string]string{}
	for _, n := range names {
		paths[n] = filepath.Join(dir, n)
	}
	return paths
}

func TestProgramsRunInTheImagesThatTheyAreIn(t *testing.T) {
	built := programs(t, "ingest", "analyzer", "tooltrail")
	for name, static := range map[string]bool{"ingest": true, "analyzer": true, "tooltrail": false} {
		f, err := elf.Open(built[name])
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		needs, _ := f.ImportedLibraries()
		interpreter := slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
		if isStatic := len(needs) == 0 && !interpreter; isStatic != static {
			t.Errorf("%s: static %v, want %v (libraries %v)", name, isStatic, static, needs)
		}
		if scratch := strings.Contains(read(t, "../Dockerfile"), "FROM scratch AS "+name+"\n"); scratch != static {
			t.Errorf("%s: its image holds nothing else: %v, though it is static: %v", name, scratch, static)
		}
	}
	testHelp(t, built)
	testDocumentedFlags(t, built)
	testDocumentedCommands(t, built["tooltrail"])
}

// testDocumentedCommands holds the commands that the documents show against what tooltrail says of them.
func testDocumentedCommands(t *testing.T, tooltrail string) {
	t.Helper()
	shown := regexp.MustCompile(`(?m)^(?:bin/)?tooltrail ((?:[a-z]+ ?)+)([^#\n]*)`)
	found := 0
	for _, doc := range documents {
		for _, m := range shown.FindAllStringSubmatch(read(t, doc), -1) {
			command := strings.Fields(m[1])
			help, err := exec.Command(tooltrail, append(command, "--help")...).CombinedOutput()
			if err != nil || !bytes.Contains(help, []byte("\n  tooltrail "+command[0])) {
				t.Errorf("%s: tooltrail %s: %v\n%s", doc, m[1], err, help)
			}
			if len(command) > 1 && !bytes.Contains(help, []byte("\n  tooltrail "+command[0]+" "+command[1])) {
				t.Errorf("%s: there is no tooltrail %s", doc, m[1])
			}
			for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(m[2], -1) {
				if !bytes.Contains(help, []byte(flag)) {
					t.Errorf("%s: tooltrail %s has no %s", doc, m[1], flag)
				}
			}
			found++
		}
	}
	if found == 0 {
		t.Error("the documents show no command")
	}
}

// testDocumentedFlags holds the flags that the documents name in backticks against the programs.
func testDocumentedFlags(t *testing.T, built map[string]string) {
	t.Helper()
	var help string
	for _, program := range []string{"ingest", "analyzer"} {
		out, _ := exec.Command(built[program], "-h").CombinedOutput()
		help += string(out)
	}
	named := regexp.MustCompile("`(?:ingest )?(-[a-z][a-z-]*)")
	for _, doc := range []string{"../docs/operating.md", "../docs/scaling.md"} {
		for _, m := range named.FindAllStringSubmatch(read(t, doc), -1) {
			if !regexp.MustCompile(`(?m)^  ` + m[1] + `\b`).MatchString(help) {
				t.Errorf("%s: there is no flag %s", doc, m[1])
			}
		}
	}
}

// testHelp holds what docker-compose.yml gives the programs against what they say they take.
func testHelp(t *testing.T, built map[string]string) {
	t.Helper()
	p := project(t)
	for service, program := range map[string]string{"ingest": "ingest", "migrate": "ingest", "analyzer": "analyzer"} {
		out, _ := exec.Command(built[program], "-h").CombinedOutput()
		for _, arg := range p.Services[service].Command {
			if strings.HasPrefix(arg, "-") && !bytes.Contains(out, []byte("\n  "+arg+" ")) && !bytes.Contains(out, []byte("\n  "+arg+"\n")) {
				t.Errorf("%s: %s has no flag %s", service, program, arg)
			}
		}
		for variable := range p.Services[service].Environment {
			if variable != "GOMEMLIMIT" && !saysVariable(string(out), variable) {
				t.Errorf("%s: %s does not say that it reads %s", service, program, variable)
			}
		}
	}
}

// saysVariable looks a variable up in a help, which shortens those of one beginning: TOOLTRAIL_NATS_USER, _PASSWORD.
func saysVariable(help, variable string) bool {
	variable = strings.TrimSuffix(variable, "_PASSWORD_FILE")
	variable = strings.TrimSuffix(variable, "_FILE")
	if strings.Contains(help, variable) {
		return true
	}
	for _, prefix := range []string{"TOOLTRAIL_NATS", "TOOLTRAIL_CLICKHOUSE"} {
		if rest, ok := strings.CutPrefix(variable, prefix); ok && regexp.MustCompile(`(?m)^  `+prefix+`_.*[ ,]`+rest+`\b`).MatchString(help) {
			return true
		}
	}
	return false
}
