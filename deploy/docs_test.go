package deploy_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var documents = []string{"../README.md", "../docs/README.md", "../docs/operating.md", "../docs/scaling.md"}

func TestTheClustersStatementsInTheDocumentsAreWhatTheStoreMakes(t *testing.T) {
	golden := read(t, "../store/testdata/ddl_cluster.sql")
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(read(t, "../docs/scaling.md"), -1)
	if len(blocks) == 0 {
		t.Fatal("docs/scaling.md shows no statements")
	}
	for _, b := range blocks {
		if !strings.Contains(golden, b[1]) {
			t.Errorf("not in ddl_cluster.sql:\n%s", b[1])
		}
	}
}

func TestStatementsOfTheOperatingDocumentRun(t *testing.T) {
	ch := startClickHouse(t)
	ch.migrate()
	blocks := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(read(t, "../docs/operating.md"), -1)
	if len(blocks) == 0 {
		t.Fatal("docs/operating.md shows no statements")
	}
	for _, b := range blocks {
		ch.must(b[1])
		if strings.HasPrefix(b[1], "SELECT") {
			if err := ch.as("tooltrail_reader", b[1]); err != nil {
				t.Errorf("reader: %s: %v", b[1], err)
			}
		} else if err := ch.granted("tooltrail_migrate", "access_type = 'ALTER'", ""); err != nil {
			t.Errorf("tooltrail_migrate: %v", err)
		}
	}
}

func TestMetricsThatTheDocumentsNameExist(t *testing.T) {
	metrics := read(t, "../docs/metrics.md")
	for _, doc := range documents {
		for _, name := range regexp.MustCompile(`tooltrail_[a-z]+_[a-z_]+`).FindAllString(read(t, doc), -1) {
			if !strings.Contains(metrics, "`"+name+"`") {
				t.Errorf("%s: there is no metric %s", doc, name)
			}
		}
	}
}

func TestLinksOfTheDocumentsLeadSomewhere(t *testing.T) {
	for _, doc := range documents {
		for _, m := range regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(read(t, doc), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(doc), m[1])); err != nil {
				t.Errorf("%s: %v", doc, err)
			}
		}
	}
}

func TestTheReadmeNamesEveryFolderAndTheIndexEveryDocument(t *testing.T) {
	readme, index := read(t, "../README.md"), read(t, "../docs/README.md")
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && e.Name()[0] != '.' && e.Name() != "bin" && !strings.Contains(readme, "[`"+e.Name()+"/`]") {
			t.Errorf("README.md has no folder %s", e.Name())
		}
	}
	files, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if name := filepath.Base(f); name != "README.md" && !strings.Contains(index, "("+name+")") {
			t.Errorf("docs/README.md does not name %s", name)
		}
	}
	runbooks, err := filepath.Glob("../docs/alerts/*.md")
	if err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprintf("%d alerts", len(runbooks)-1); !strings.Contains(readme, said) {
		t.Errorf("README.md does not say that there are %s", said)
	}
}

func TestUsersThatComposeNamesExist(t *testing.T) {
	users, keys := read(t, "clickhouse/users.xml"), read(t, "nats/nats.conf")
	p := project(t)
	for name, s := range p.Services {
		if user := s.Environment["TOOLTRAIL_CLICKHOUSE_USER"]; user != nil && !strings.Contains(users, "<"+*user+">") {
			t.Errorf("%s: ClickHouse has no user %s", name, *user)
		}
		seed, inbox := s.Environment["TOOLTRAIL_NATS_NKEY"], s.Environment["TOOLTRAIL_NATS_INBOX"]
		if seed == nil {
			continue
		}
		user := strings.TrimSuffix(strings.TrimPrefix(*seed, "/run/secrets/nats_"), ".nk")
		if inbox == nil || *inbox != "_INBOX_"+user || !strings.Contains(keys, "$"+user+"_nkey") || !strings.Contains(keys, `"`+*inbox+`.>"`) {
			t.Errorf("%s: NATS has no user %s with that inbox", name, user)
		}
	}
}

// TestHealthIsAskedWhereServersListen holds the ports of health checks against those that the services are told, or publish.
func TestHealthIsAskedWhereServersListen(t *testing.T) {
	p := project(t)
	port := regexp.MustCompile(`://127\.0\.0\.1:(\d+)/`)
	for name, s := range p.Services {
		if s.HealthCheck == nil {
			continue
		}
		m := port.FindStringSubmatch(strings.Join(s.HealthCheck.Test, " "))
		if m == nil {
			t.Errorf("%s: its health check asks nobody", name)
			continue
		}
		told := strings.Join(s.Command, " ")
		for _, v := range s.Volumes {
			if v.Type == "bind" {
				told += contents(t, v.Source)
			}
		}
		for _, published := range s.Ports {
			if published.Target == 3000 { // Grafana's own, which it is not told
				told += ":3000"
			}
		}
		if !strings.Contains(told, ":"+m[1]) && !strings.Contains(told, "<https_port>"+m[1]+"<") {
			t.Errorf("%s is asked on port %s, where it does not listen", name, m[1])
		}
	}
}
