package deploy_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tooltrail/tooltrail/alerts"
	"github.com/tooltrail/tooltrail/deploy"
	"github.com/tooltrail/tooltrail/embedded"
	"github.com/tooltrail/tooltrail/embedded/enginetest"
	"github.com/tooltrail/tooltrail/panels"
	"github.com/tooltrail/tooltrail/store"
)

// clickHouse is an engine with the users of users.xml.
type clickHouse struct {
	t    *testing.T
	addr string
}

// engine is the one of this process.
var engine struct {
	sync.Once
	opened *embedded.Engine
	dir    string
	err    error
}

func openEngine() (*embedded.Engine, string, error) {
	dir, err := os.MkdirTemp("", "tooltrail-deploy-")
	if err != nil {
		return nil, "", err
	}
	secrets := deploy.DefaultConfig()
	secrets.Dir = filepath.Join(dir, "secrets")
	if err := deploy.WriteSecrets(secrets); err != nil {
		return nil, dir, err
	}
	users, err := os.ReadFile("clickhouse/users.xml")
	if err != nil {
		return nil, dir, err
	}
	// The engine itself is the user default.
	const engineUser = `<users><default><no_password/><networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>` +
		`<access_management>1</access_management></default>`
	text := strings.NewReplacer("/run/secrets/", secrets.Dir+"/", "<users>", engineUser).Replace(string(users))
	cfg := embedded.DefaultEngineConfig(filepath.Join(dir, "data"))
	cfg.Listen, cfg.UsersFile = "127.0.0.1:0", filepath.Join(dir, "users.xml")
	if err := errors.Join(os.WriteFile(cfg.UsersFile, []byte(text), 0o600), os.Mkdir(cfg.Dir, 0o700)); err != nil {
		return nil, dir, err
	}
	opened, err := embedded.OpenEngine(cfg)
	return opened, dir, err
}

// closeEngine closes what was opened, after all tests.
func closeEngine() {
	if engine.opened != nil {
		ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
		defer stop()
		_ = engine.opened.Close(ctx) // its data goes
	}
	if engine.dir != "" {
		os.RemoveAll(engine.dir)
	}
}

// startClickHouse returns the engine without tables of Tooltrail's.
func startClickHouse(t *testing.T) *clickHouse {
	t.Helper()
	if _, err := embedded.FindLibrary(); err != nil {
		if os.Getenv(enginetest.RequireEnv) == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	engine.Do(func() { engine.opened, engine.dir, engine.err = openEngine() })
	if engine.err != nil {
		t.Fatal(engine.err)
	}
	ch := &clickHouse{t, engine.opened.Addr()}
	ch.must("DROP DATABASE IF EXISTS probe SYNC")
	ch.must("DROP DATABASE IF EXISTS tooltrail SYNC")
	return ch
}

// migrate makes the tables, and a database for the views of as.
func (c *clickHouse) migrate() {
	c.t.Helper()
	cfg := store.DefaultConfig()
	cfg.Address = "http://" + c.addr
	db, err := store.Open(c.t.Context(), cfg)
	if err != nil {
		c.t.Fatal(err)
	}
	defer db.Close()
	if err := db.Migrate(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	c.must("CREATE DATABASE probe")
}

// ask runs a statement as the engine's own user, in a database where one is named.
func (c *clickHouse) ask(sql string, database ...string) (string, error) {
	resp, err := http.Post("http://"+c.addr+"/?database="+strings.Join(database, ""), "text/plain", strings.NewReader(sql))
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
	if _, err := c.ask("CREATE OR REPLACE VIEW probe.v DEFINER = "+user+" SQL SECURITY DEFINER AS "+query, "tooltrail"); err != nil {
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
	asked := len(all)
	for _, a := range alerts.All(alerts.DefaultConfig()) {
		if sql := a.SQL(); sql != "" {
			add("alert "+a.Name, sql)
		}
	}
	if len(all) == asked {
		t.Fatal("no alerts")
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
	ch.migrate()
	for _, sql := range ingestQueries(t) {
		if err := ch.as("tooltrail_ingest", sql); err != nil {
			t.Errorf("ingest: %s: %v", sql, err)
		}
	}
	pages, err := filepath.Glob("../page/sql/*.sql")
	if err != nil || len(pages) == 0 {
		t.Fatalf("the page asks nothing: %v", err)
	}
	for _, file := range pages {
		if err := ch.as("tooltrail_operator", read(t, file)); err != nil {
			t.Errorf("operator: %s: %v", file, err)
		}
	}
	for name, sql := range panelQueries(t) {
		if err := ch.as("tooltrail_operator", sql); err != nil {
			t.Errorf("operator: %s: %v", name, err)
		}
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
	for _, user := range []string{"tooltrail_ingest", "tooltrail_analyzer"} {
		const tables = "SELECT throwIf(count() != 11, 'not all tables are seen') FROM system.tables WHERE database = 'tooltrail' AND name IN "
		if err := ch.as(user, tables+"('"+strings.Join(append(eventTables, "request_verdicts", "notable_verdicts", "judged_calls", "looked_up_calls"), "','")+"')"); err != nil {
			t.Errorf("%s looks up the retention of tables: %v", user, err)
		}
	}
	testDenials(t, ch)
	testGrants(t, ch)
	testProfiles(t, ch)
}
