package store

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files")

func TestDDLIsWhatTheGoldenFilesSay(t *testing.T) {
	for name, d := range map[string]ddl{
		"single":  {Database: "tooltrail"},
		"cluster": {Database: "tooltrail", Cluster: "main"},
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, "ddl_"+name+".sql", script(t, d))
		})
	}
}

// script is every statement that Migrate runs on an empty server.
func script(t *testing.T, d ddl) string {
	t.Helper()
	ms, err := d.migrations()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s;\n\n%s;\n", d.createDatabase(), d.migrationsTable())
	for _, m := range ms {
		fmt.Fprintf(&b, "\n-- %s\n%s;\n", m.name, m.sql)
	}
	for _, table := range retained() {
		fmt.Fprintf(&b, "\n%s;\n", d.retain(table, "", 90))
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // a golden file is public
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; run with -update if it should (-want +got):\n%s", path, diff)
	}
}

func TestMigrationsAreOneStatementAFileAndCanRunTwice(t *testing.T) {
	for _, d := range []ddl{{Database: "d"}, {Database: "d", Cluster: "c"}} {
		ms, err := d.migrations()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ms {
			if strings.Contains(m.sql, ";") {
				t.Errorf("%s: more than one statement", m.name)
			}
			if !strings.Contains(m.sql, "IF NOT EXISTS") && !strings.Contains(m.sql, "MATERIALIZE PROJECTION IF EXISTS") && !strings.HasPrefix(m.sql, "CREATE OR REPLACE VIEW") {
				t.Errorf("%s: can't run twice", m.name)
			}
			if d.Cluster != "" && !strings.Contains(m.sql, "ON CLUSTER `c`") {
				t.Errorf("%s: runs on one server of a cluster only", m.name)
			}
		}
	}
}

func TestRetentionIsAlteredOnlyWhereItChanged(t *testing.T) {
	d := ddl{Database: "d"}
	const ninety = "toDateTime(ingested_at) + toIntervalDay(90)"
	for _, c := range []struct {
		now  string
		days int
		want string
	}{
		{"", 0, ""},
		{"", 90, "ALTER TABLE t MODIFY TTL " + ninety},
		{ninety, 90, ""},
		{ninety, 30, "ALTER TABLE t MODIFY TTL toDateTime(ingested_at) + toIntervalDay(30)"},
		{ninety, 0, "ALTER TABLE t REMOVE TTL"},
	} {
		if got := d.retain("t", c.now, c.days); got != c.want {
			t.Errorf("from %q to %d days: %q, want %q", c.now, c.days, got, c.want)
		}
	}
}
