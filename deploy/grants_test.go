package deploy_test

import (
	"slices"
	"strings"
	"testing"
)

// analyzerTables are all tables that hold no events as they came: the analyzer writes them.
func analyzerTables(ch *clickHouse) (all []string) {
	ch.t.Helper()
	for line := range strings.Lines(ch.must("SELECT name FROM system.tables WHERE database = 'tooltrail' AND engine LIKE '%MergeTree'")) {
		if name := strings.TrimSpace(line); name != "schema_migrations" && !slices.Contains(eventTables, name) {
			all = append(all, name)
		}
	}
	return all
}

// testDenials tries what each user need not do.
func testDenials(t *testing.T, ch *clickHouse) {
	t.Helper()
	for _, no := range [][2]string{
		{"tooltrail_ingest", "SELECT arguments FROM tool_calls"},
		{"tooltrail_ingest", "SELECT * FROM findings"},
		{"tooltrail_ingest", "SELECT payload FROM dead_letters"},
		{"tooltrail_ingest", "SELECT name FROM system.users"},
		{"tooltrail_reader", "SELECT arguments FROM tool_calls"},
		{"tooltrail_reader", "SELECT name FROM system.users"},
		{"tooltrail_analyzer", "SELECT name FROM system.users"},
		{"tooltrail_operator", "SELECT name FROM system.users"},
		{"tooltrail_migrate", "SELECT name FROM system.users"},
	} {
		if err := ch.as(no[0], no[1]); err == nil || !strings.Contains(err.Error(), "ACCESS_DENIED") {
			t.Errorf("%s: %s: %v, want that it is denied", no[0], no[1], err)
		}
	}
}

// testGrants holds who may write where, and that nobody but one may make or change tables.
func testGrants(t *testing.T, ch *clickHouse) {
	t.Helper()
	writes := map[string][]string{
		"tooltrail_ingest":   eventTables,
		"tooltrail_analyzer": analyzerTables(ch),
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
			case f[0] != "SELECT" && f[0] != "SHOW TABLES" || f[1] != "tooltrail" && f[1] != "system":
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
