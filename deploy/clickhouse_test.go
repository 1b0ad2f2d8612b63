package deploy_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/embedded"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store"
)

// clickHouse is an engine with the users of users.xml and the tables.
type clickHouse struct {
	t    *testing.T
	addr string
}

// usersForEngine is users.xml with the secrets of this test, and with the user that the engine itself is.
func usersForEngine(t *testing.T) string {
	t.Helper()
	const engineUser = `<users><default><no_password/><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>` +
		`<access_management>1</access_management></default>`
	return strings.NewReplacer("/run/secrets/", secretsIn(t)+"/", "<users>", engineUser).Replace(read(t, "clickhouse/users.xml"))
}

func startClickHouse(t *testing.T) *clickHouse {
	t.Helper()
	if _, err := embedded.FindLibrary(); err != nil {
		if os.Getenv(enginetest.RequireEnv) == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	users := filepath.Join(t.TempDir(), "users.xml")
	write(t, users, usersForEngine(t))
	cfg := embedded.DefaultEngineConfig(t.TempDir())
	cfg.Listen, cfg.UsersFile = "127.0.0.1:0", users
	engine, err := embedded.OpenEngine(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
		defer stop()
		if err := engine.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	c := store.DefaultConfig()
	c.Address = "http://" + engine.Addr()
	db, err := store.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	ch := &clickHouse{t, engine.Addr()}
	ch.must("CREATE DATABASE probe")
	return ch
}

// ask runs a statement as the engine's own user.
func (c *clickHouse) ask(sql string) (string, error) {
	resp, err := http.Post("http://"+c.addr+"/?"+url.Values{"database": {"tooltrail"}}.Encode(), "text/plain", strings.NewReader(sql))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%.500s", text)
	}
	return string(text), err
}

func (c *clickHouse) must(sql string) string {
	c.t.Helper()
	out, err := c.ask(sql)
	if err != nil {
		c.t.Fatalf("%s: %v", sql, err)
	}
	return out
}

// as runs a query with a user's rights: through a view whose definer he is.
func (c *clickHouse) as(user, query string) error {
	c.t.Helper()
	if _, err := c.ask("CREATE OR REPLACE VIEW probe.v DEFINER = " + user + " SQL SECURITY DEFINER AS " + query); err != nil {
		return fmt.Errorf("make view: %w", err)
	}
	_, err := c.ask("SELECT * FROM probe.v FORMAT Null")
	return err
}

// panelQueries are all that the dashboards and Grafana's alert rules ask.
func panelQueries(t *testing.T) map[string]string {
	t.Helper()
	scope := panels.Scope{From: time.Unix(0, 0).UTC(), To: time.Unix(86400, 0).UTC()}
	all := map[string]string{}
	add := func(name, sql string) {
		expanded, err := panels.Expand(sql, scope)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = expanded
	}
	for _, v := range panels.Views() {
		for i := range v.Panels {
			add("panel "+v.Panels[i].ID, v.Panels[i].SQL)
		}
	}
	files, err := filepath.Glob("../alerts/sql/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no alerts: %v", err)
	}
	for _, f := range files {
		add("alert "+filepath.Base(f), read(t, f))
	}
	return all
}

// ingestQueries are all that ingest asks.
func ingestQueries(t *testing.T) []string {
	t.Helper()
	all := []string{read(t, "../ingest/definitions.sql"), "SELECT DISTINCT name FROM schema_migrations"}
	for _, table := range eventTables {
		for _, name := range []string{"position", "recent_ids"} {
			sql := strings.ReplaceAll(read(t, "../store/queries/"+name+".sql"), "{table}", table)
			for _, value := range []string{"''", "0", "10"} {
				sql = strings.Replace(sql, "?", value, 1)
			}
			all = append(all, sql)
		}
	}
	return all
}

var eventTables = []string{"tool_calls", "activations", "request_prefixes", "tool_rosters", "tool_definitions", "client_heartbeats", "dead_letters"}

func TestUsersOfClickHouseMayDoTheirWorkAndNoMore(t *testing.T) {
	ch := startClickHouse(t)
	for _, sql := range ingestQueries(t) {
		if err := ch.as("tooltrail_ingest", sql); err != nil {
			t.Errorf("ingest: %s: %v", sql, err)
		}
	}
	for name, sql := range panelQueries(t) {
		if err := ch.as("tooltrail_reader", sql); err != nil {
			t.Errorf("reader: %s: %v", name, err)
		}
	}
	for _, ok := range [][2]string{
		{"tooltrail_analyzer", read(t, "../analyzer/store_disks.sql")},
		{"tooltrail_analyzer", "SELECT * FROM tool_calls"},
		{"tooltrail_analyzer", "SELECT * FROM findings_now"},
		{"tooltrail_operator", "SELECT * FROM findings_now"},
		{"tooltrail_operator", "SELECT payload FROM dead_letters"},
		{"tooltrail_reader", "SELECT * FROM finding_actions"},
	} {
		if err := ch.as(ok[0], ok[1]); err != nil {
			t.Errorf("%s: %s: %v", ok[0], ok[1], err)
		}
	}
	for _, no := range [][2]string{
		{"tooltrail_ingest", "SELECT arguments FROM tool_calls"},
		{"tooltrail_ingest", "SELECT * FROM findings"},
		{"tooltrail_ingest", "SELECT payload FROM dead_letters"},
		{"tooltrail_reader", "SELECT arguments FROM tool_calls"},
	} {
		if err := ch.as(no[0], no[1]); err == nil || !strings.Contains(err.Error(), "ACCESS_DENIED") {
			t.Errorf("%s: %s: %v, want that it is denied", no[0], no[1], err)
		}
	}
	testGrants(t, ch)
	testProfiles(t, ch)
}

// testGrants holds who may write where, and that nobody but one may make or change tables.
func testGrants(t *testing.T, ch *clickHouse) {
	t.Helper()
	writes := map[string][]string{
		"tooltrail_ingest":   eventTables,
		"tooltrail_analyzer": {"findings", "finding_actions", "request_verdicts", "notable_verdicts", "detector_progress", "tool_changes"},
		"tooltrail_operator": {"finding_actions"},
		"tooltrail_reader":   nil,
	}
	for user, want := range writes {
		var got []string
		for line := range strings.Lines(ch.must("SELECT access_type, ifNull(database, '*'), ifNull(table, '*') FROM system.grants WHERE user_name = '" + user + "' AND NOT is_partial_revoke")) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			switch {
			case f[0] == "INSERT" && f[1] == "tooltrail":
				got = append(got, f[2])
			case f[0] != "SELECT" || f[1] != "tooltrail" && f[1] != "system":
				t.Errorf("%s may %s on %s.%s", user, f[0], f[1], f[2])
			}
		}
		slices.Sort(got)
		want = slices.Sorted(slices.Values(want))
		if !slices.Equal(got, want) {
			t.Errorf("%s may insert into %v, want %v", user, got, want)
		}
	}
}

func testProfiles(t *testing.T, ch *clickHouse) {
	t.Helper()
	if got := strings.TrimSpace(ch.must("SELECT value FROM system.settings_profile_elements WHERE profile_name = 'reader' AND setting_name = 'readonly'")); got != "2" {
		t.Errorf("reader has readonly %q, want 2: settings such as additional_table_filters, and nothing written", got)
	}
	for line := range strings.Lines(ch.must("SELECT name, auth_type FROM system.users WHERE name != 'default'")) {
		if !strings.Contains(line, "sha256_password") {
			t.Errorf("without a password of which only the hash is kept: %s", line)
		}
	}
}
