package store

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/tooltrail/tooltrail/events"
	"github.com/tooltrail/tooltrail/finding"
)

// putScoped stores a call of each of some places, and a list of tools of nobody.
func putScoped(t *testing.T, db *DB, places ...finding.Scope) {
	t.Helper()
	var calls []events.Row
	for i, p := range places {
		e := &events.Event{ID: uuid.NewString(), Time: noon, Data: &events.ToolCall{
			Context:  events.Context{AgentName: p.Agent, Environment: p.Environment, Team: p.Team},
			ToolName: "order", Server: "shop", Outcome: events.OutcomeOK, UsedVersion: "v1",
		}}
		calls = append(calls, events.Row{Seq: uint64(i + 1), Event: e}) //nolint:gosec // small
	}
	lane := "1/" + events.Subject(0, events.KindToolCall)
	mustInsert(t, db, lane, token(lane, 0), calls)
	list := &events.Event{ID: uuid.NewString(), Time: noon, Data: &events.ToolRoster{Server: "shop", RosterDigest: "d", Reason: events.RosterUnknown}}
	lane = "1/" + events.Subject(0, events.KindToolRoster)
	mustInsert(t, db, lane, token(lane, 0), []events.Row{{Seq: 1, Event: list}})
}

// counted runs a query within a scope and returns its n.
func counted(t *testing.T, db *DB, s finding.Scope, query string) uint64 {
	t.Helper()
	var row struct {
		N uint64 `ch:"n"`
	}
	var n uint64
	if err := db.Within(s).Each(t.Context(), query, nil, &row, func() error { n = row.N; return nil }); err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return n
}

func TestEachTableThatNamesAnAgentIsNarrowed(t *testing.T) {
	db := open(t)
	var row struct {
		Table string `ch:"table"`
	}
	err := db.Each(t.Context(), "SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'agent_name' ORDER BY table", nil, &row, func() error {
		if !slices.Contains(ofAgents, row.Table) && !slices.Contains(ofAnybody, row.Table) && row.Table != "tool_definitions" {
			t.Errorf("%s has agents and is not narrowed to one", row.Table)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestQueriesWithinAScopeSeeItsEventsAlone(t *testing.T) {
	db := open(t)
	hostile := finding.Scope{Agent: `it's \ "x"` + "\n\t' OR 1=1 --", Environment: `\'`, Team: "a' OR '1'='1"}
	putScoped(
		t, db, finding.Scope{Agent: "desk", Environment: "prod", Team: "a"}, finding.Scope{Agent: "desk", Environment: "test", Team: "b"},
		finding.Scope{Agent: "mail", Environment: "prod", Team: "a"}, finding.Scope{}, hostile,
	)
	queries := []string{
		"SELECT count() AS n FROM tool_calls",
		"SELECT count() AS n FROM (SELECT * FROM tool_calls WHERE server IN (SELECT server FROM tool_calls)) AS c",
		// answered by the projection version_use where nothing narrows it
		`SELECT sum(calls) AS n FROM (SELECT toStartOfHour(time) AS hour, server, tool_name, resolved_name, used_version, schema_version, count() AS calls
			FROM tool_calls GROUP BY hour, server, tool_name, resolved_name, used_version, schema_version)`,
	}
	for _, c := range []struct {
		scope finding.Scope
		want  uint64
	}{
		{finding.Scope{}, 5},
		{finding.Scope{Agent: "desk"}, 2},
		{finding.Scope{Environment: "prod"}, 2},
		{finding.Scope{Agent: "desk", Team: "b"}, 1},
		{finding.Scope{Agent: "desk", Environment: "prod", Team: "b"}, 0},
		{hostile, 1},
		{finding.Scope{Team: hostile.Team}, 1},
		{finding.Scope{Agent: "' OR 1=1 --"}, 0},
	} {
		for _, q := range queries {
			if got := counted(t, db, c.scope, q); got != c.want {
				t.Errorf("%+v: %d rows, want %d of %s", c.scope, got, c.want, q)
			}
		}
		if got := counted(t, db, c.scope, "SELECT count() AS n FROM tool_rosters"); got != 1 {
			t.Errorf("%+v: the list of nobody is not there", c.scope)
		}
	}
}

func TestAScopeNarrowsTheTablesThatHoldTheRowsOfAClusterToo(t *testing.T) {
	s := finding.Scope{Agent: "a'b"}
	single, cluster := (&DB{}).filters(s), (&DB{ddl: ddl{Cluster: "main"}}).filters(s)
	if want := `{'tool_calls': 'agent_name = \'a\\\'b\'', `; single[:len(want)] != want {
		t.Errorf("single: %s", single)
	}
	if want := `{'tool_calls': 'agent_name = \'a\\\'b\'', 'tool_calls_local': 'agent_name = \'a\\\'b\'', `; cluster[:len(want)] != want {
		t.Errorf("cluster: %s", cluster)
	}
	if diff := cmp.Diff("", (&DB{}).filters(finding.Scope{})); diff != "" {
		t.Error(diff)
	}
}
